import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { needing } from '@daybook/runtime/testing/needing'
import { OWN_NATS } from '@daybook/transport/testing/native-nats'
import { expect } from 'vitest'
import type { ServiceName } from '../service-process.ts'
import { runFailoverRounds } from './run.ts'

const ROUNDS = 1
/**
 * Fixed, so that what this run covers is known; `npm run test:chaos` takes others, with two processes of each service. Here only the gateways
 * are two, and only where they hear nothing of each other.
 */
const SEED = 3

needing(OWN_POSTGRES, OWN_NATS).test.each<{ withNats: boolean; bus: string; alone: ServiceName[] }>([
  { withNats: true, bus: 'NATS', alone: ['gateway', 'projector-pgvector', 'projector-typesense', 'reindex'] },
  { withNats: false, bus: 'no NATS', alone: ['projector-pgvector', 'projector-typesense', 'reindex'] },
])(
  'with $bus, a failover that loses the end of the journal is healed, and nobody goes on from what is lost',
  async ({ withNats, alone }) => {
    const run = await runFailoverRounds({ rounds: ROUNDS, seed: SEED, withNats, alone })
    expect(run.differences, `seed ${SEED}, kept in ${run.folder}`).toEqual([])
    expect(run.lost).toBeGreaterThan(0)
  },
)
