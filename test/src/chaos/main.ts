import { scriptOptions } from '../support/script-options.ts'
import { typesenseInWords } from './cluster-typesense.ts'
import { runFailoverRounds } from './failover/run.ts'
import { importLocomo } from './import-locomo.ts'
import { runChaosRounds } from './run.ts'

const PARTS = ['all', 'faults', 'failover', 'failover-without-nats']

const options = scriptOptions(
  'npm run test:chaos -- [options]',
  `Two processes of each service on native Postgres, NATS and Typesense (its double, or the server that
DAYBOOK_TYPESENSE_SERVER names), treated badly while clients write. Part "faults" kills, wipes, hangs and slows down. The
parts "failover" lose the journal's tail with an asynchronous standby while every process lives on.`,
  {
    rounds: { default: 20, description: 'rounds of each part' },
    seed: { default: Date.now() % 1_000_000, description: 'decides who does what' },
    part: { default: 'all', oneOf: PARTS, description: 'what is done' },
    embedder: {
      default: 'minilm',
      oneOf: ['minilm', 'none'],
      description: 'who makes vectors during faults',
    },
    only: { default: '', description: 'only faults with this in their names' },
    locomo: {
      default: '',
      description: 'instead, imports the conversations of this folder while processes are killed',
    },
  },
)
const { rounds, seed, part } = options

console.log(
  `seed ${seed}: it decides who does what; when a fault hits is up to the machine, so no run repeats exactly`,
)
console.log(`on ${typesenseInWords()}`)
// `exit` kills every service that was started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const report = (line: string) => console.log(line)

/** Reports violations, and ends the process if there are any. */
function conclude({
  differences,
  folder,
  ...run
}: {
  differences: readonly string[]
  folder?: string | null
}) {
  console.log(run)
  if (differences.length === 0) return
  console.error(`FAILED with seed ${seed}; logs and data folders are kept in ${folder}`)
  for (const difference of differences.slice(0, 50)) console.error(`  ${difference}`)
  process.exit(1)
}

if (options.locomo !== '') conclude(await importLocomo(options.locomo, seed, report))
else {
  if (part === 'all' || part === 'faults')
    conclude(
      await runChaosRounds({
        rounds,
        seed,
        embedder: options.embedder as 'minilm' | 'none',
        only: options.only,
        report,
      }),
    )
  for (const withNats of [true, false])
    if (part === 'all' || part === (withNats ? 'failover' : 'failover-without-nats'))
      conclude(await runFailoverRounds({ rounds, seed, withNats, report }))
}
process.exit(0)
