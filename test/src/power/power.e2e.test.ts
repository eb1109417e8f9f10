import { expect, test } from 'vitest'
import { runPowerCuts } from './run.ts'

const CUTS = 2

test('a power cut at any moment loses nothing that was acknowledged, on a disk that forgets all that was not synced', async () => {
  const seed = Number(process.env['DAYBOOK_POWER_SEED'] ?? Date.now() % 1_000_000)
  const run = await runPowerCuts({ cuts: CUTS, seed })
  expect(run.failures, `seed ${seed}`).toEqual([])
  expect(run.acknowledged).toBeGreaterThan(0)
})
