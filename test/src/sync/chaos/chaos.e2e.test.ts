import { expect, test } from 'vitest'
import { runSyncChaos } from './run.ts'

/** Fixed, so that what this run covers is known; `npm run test:sync` takes others. */
const SEED = 7

test('whatever breaks between daemons, all end with the same journal, and all that was acknowledged is in it once', async () => {
  const run = await runSyncChaos({
    seed: SEED,
    rounds: 1,
    daemons: 3,
    writers: 2,
    roundMs: 4_000,
    promotions: true,
  })
  expect(run.differences, `seed ${SEED}, kept in ${run.folders.join(' ')}`).toEqual([])
  expect(run.acknowledged).toBeGreaterThan(0)
})
