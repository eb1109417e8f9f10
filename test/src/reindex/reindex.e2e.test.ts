import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { needing } from '@daybook/runtime/testing/needing'
import { OWN_NATS } from '@daybook/transport/testing/native-nats'
import { expect } from 'vitest'
import { runReindex } from './run.ts'

/**
 * Fixed, so that what this run covers is known; `npm run test:reindex` takes others, 100,000 memories, ten times the traffic, two processes of
 * each service, more kills, and another model and back.
 */
const SEED = 4

needing(OWN_POSTGRES, OWN_NATS).test(
  'rebuilds under traffic lose nothing, show no half-filled index, and go on when they are killed',
  async () => {
    const run = await runReindex({
      memories: 400,
      locomo: null,
      seed: SEED,
      perSecond: 2,
      alone: ['gateway', 'projector-pgvector', 'projector-typesense', 'reindex'],
      kills: 1,
      switchModel: false,
      aloneMs: 500,
    })
    expect(run.problems, `seed ${SEED}, kept in ${run.folder}`).toEqual([])
    expect(run.searches).toBeGreaterThan(0)
    expect(run.writes).toBeGreaterThan(0)
  },
)
