import { expect, test } from 'vitest'
import { runCrashRounds } from './run.ts'

/** Two, so that the second finds the first's journal unchanged. */
const ROUNDS = 2

test('killed at any moment, the daemon keeps what it acknowledged and does nothing twice', async () => {
  const seed = Number(process.env.DAYBOOK_CRASH_SEED ?? 7)
  const run = await runCrashRounds({ rounds: ROUNDS, seed, embedder: 'test-hash/64' })
  expect(run.failures, `seed ${seed}`).toEqual([])
  expect(run.acknowledged).toBeGreaterThan(0)
})
