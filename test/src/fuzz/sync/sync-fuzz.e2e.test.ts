import { expect, test } from 'vitest'
import { runSyncFuzz } from './run-sync.ts'

const EACH = 60

test('what false followers ask and false homes answer ends no daemon, breaks no journal and shows no other project', async () => {
  const seed = Number(process.env.DAYBOOK_FUZZ_SEED ?? 7)
  const run = await runSyncFuzz({ followers: EACH, homes: EACH, seed })
  expect(run.faults, `seed ${seed}`).toEqual([])
  // Most are read; what they ask for is often refused.
  expect(run.statuses['200']).toBeGreaterThan(EACH / 10)
})
