import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { typesenseInWords } from '../chaos/cluster-typesense.ts'
import { runReindex } from './run.ts'

/*
 * `npm run test:reindex -- --memories 100000 --seed 7`: rebuilds both projections of a cluster under traffic, on native
 * Postgres, NATS and a Typesense (the real server whose program `DAYBOOK_TYPESENSE_SERVER` names, else the double); rolls back, changes the model and back, and kills the rebuilds.
 */

const { values } = parseArgs({
  options: {
    memories: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'per-second': { type: 'string', default: '20' },
    kills: { type: 'string', default: '10' },
    locomo: { type: 'string', default: '../shared/locomo' },
    /** `--no-switch`: without going to another model and back, half of the run's time. */
    switch: { type: 'boolean', default: true },
  },
  allowNegative: true,
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
console.log(`seed ${values.seed}, on ${typesenseInWords()}`)
const { problems, ...run } = await runReindex({
  memories: Number(values.memories),
  seed: Number(values.seed),
  perSecond: Number(values['per-second']),
  kills: Number(values.kills),
  switchModel: values.switch,
  locomo: existsSync(values.locomo) ? values.locomo : null,
  report: (line) => console.log(line),
})
console.log(run)
for (const problem of problems.slice(0, 50)) console.error(`  ${problem}`)
process.exit(problems.length > 0 ? 1 : 0)
