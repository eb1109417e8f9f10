import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { needing } from '@daybook/runtime/testing/needing'
import { OWN_NATS } from '@daybook/transport/testing/native-nats'
import { expect } from 'vitest'
import { runChaosRounds } from './run.ts'

const ROUNDS = 3
/** Fixed, so that what this run covers is known; `npm run test:chaos` takes others. */
const SEED = 20

needing(OWN_POSTGRES, OWN_NATS).test(
  'whatever dies, a cluster keeps what it acknowledged, and its projections equal the journal',
  async () => {
    const run = await runChaosRounds({ rounds: ROUNDS, seed: SEED })
    expect(run.differences, `seed ${SEED}, kept in ${run.folder}`).toEqual([])
    expect(run.acknowledged).toBeGreaterThan(0)
  },
  400_000,
)
