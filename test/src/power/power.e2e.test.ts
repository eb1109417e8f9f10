import { expect, test } from 'vitest'
import { runPowerCuts } from './run.ts'

/** One; `npm run test:power` cuts a folder's power again and again. */
const CUTS = 1

test('a power cut at any moment loses nothing that was acknowledged, on a disk that forgets all that was not synced', async () => {
  const seed = Number(process.env['DAYBOOK_POWER_SEED'] ?? 7)
  const run = await runPowerCuts({ cuts: CUTS, seed, writeMs: 2_000 })
  expect(run.failures, `seed ${seed}`).toEqual([])
  expect(run.acknowledged).toBeGreaterThan(0)
})
