import { existsSync } from 'node:fs'
import { typesenseInWords } from '../chaos/cluster-typesense.ts'
import { scriptOptions } from '../support/script-options.ts'
import { runReindex } from './run.ts'

const options = scriptOptions(
  'npm run test:reindex -- [options]',
  `Rebuilds both projections of a cluster under traffic, on native Postgres, NATS and Typesense (its double, or
the server that DAYBOOK_TYPESENSE_SERVER names); rolls back, changes the model and
back, and kills the rebuilds.`,
  {
    memories: { default: 100_000, description: "generated memories, besides LoCoMo's" },
    seed: { default: Date.now() % 1_000_000, description: 'decides what is written and asked' },
    'per-second': { default: 20, description: 'writes a second, and searches' },
    kills: { default: 10, description: 'times that the process of a rebuild is killed' },
    locomo: {
      default: '../shared/locomo',
      description: 'the folder of conversations; left out where it is not there',
    },
    switch: { default: true, description: 'goes to another model and back; --no-switch halves the time' },
  },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
console.log(`seed ${options.seed}, on ${typesenseInWords()}`)
const { problems, ...run } = await runReindex({
  memories: options.memories,
  seed: options.seed,
  perSecond: options['per-second'],
  kills: options.kills,
  switchModel: options.switch,
  locomo: existsSync(options.locomo) ? options.locomo : null,
  report: (line) => console.log(line),
})
console.log(run)
for (const problem of problems.slice(0, 50)) console.error(`  ${problem}`)
process.exit(problems.length > 0 ? 1 : 0)
