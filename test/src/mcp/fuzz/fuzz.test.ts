import { expect, test } from 'vitest'
import { runMcpFuzz } from './run.ts'

/** Enough for each client to be there before and after the kill. */
const SECONDS = 4

test('random calls over both transports: what was told is in the journal, nothing else is shown', async () => {
  const seed = Number(process.env['DAYBOOK_FUZZ_SEED'] ?? Date.now() % 1_000_000)
  const run = await runMcpFuzz({ seconds: SECONDS, kills: 1, seed })
  expect(run.faults, `seed ${seed}`).toEqual([])
  expect(run.told, `seed ${seed}`).toBeGreaterThan(0)
}, 120_000)
