import { expect, test } from 'vitest'
import { runFuzz } from './run.ts'

const REQUESTS = 200

test('no request is answered with a fault of ours, shows another project, or leaves the journal unsound', async () => {
  const seed = Number(process.env.DAYBOOK_FUZZ_SEED ?? 7)
  const run = await runFuzz({ requests: REQUESTS, seed })
  expect(run.faults, `seed ${seed}`).toEqual([])
  // Most are read and answered; what they ask for is often refused.
  expect(run.statuses['200']).toBeGreaterThan(REQUESTS / 5)
})
