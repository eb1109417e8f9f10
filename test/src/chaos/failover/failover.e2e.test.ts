import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { needing } from '@daybook/runtime/testing/needing'
import { OWN_NATS } from '@daybook/transport/testing/native-nats'
import { expect } from 'vitest'
import { runFailoverRounds } from './run.ts'

const ROUNDS = 1
/** Fixed, so that what this run covers is known; `npm run test:chaos` takes others. */
const SEED = 3

needing(OWN_POSTGRES, OWN_NATS).test.each([
  { withNats: true, bus: 'NATS' },
  { withNats: false, bus: 'no NATS' },
])(
  'with $bus, a failover that loses the end of the journal is healed, and nobody goes on from what is lost',
  async ({ withNats }) => {
    const run = await runFailoverRounds({ rounds: ROUNDS, seed: SEED, withNats })
    expect(run.differences, `seed ${SEED}, kept in ${run.folder}`).toEqual([])
    expect(run.lost).toBeGreaterThan(0)
  },
)
