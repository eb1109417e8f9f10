import { HAS_NATIVE_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { HAS_NATIVE_NATS } from '@daybook/transport/testing/native-nats'
import { expect, test } from 'vitest'
import { runChaosRounds } from './run.ts'

const ROUNDS = 3
/** Fixed, so that what this run covers is known; `npm run test:chaos` takes others. */
const SEED = 20

const available = HAS_NATIVE_NATS && HAS_NATIVE_POSTGRES
if (!available)
  process.stderr.write(
    '\n*** NOT TESTED: the chaos suite kills native servers of Postgres and NATS. Run infra/debian/install.\n\n',
  )

test.skipIf(!available)(
  'whatever dies, a cluster keeps what it acknowledged, and its projections equal the journal',
  async () => {
    const run = await runChaosRounds({ rounds: ROUNDS, seed: SEED })
    expect(run.differences, `seed ${SEED}, kept in ${run.folder}`).toEqual([])
    expect(run.acknowledged).toBeGreaterThan(0)
  },
  400_000,
)
