import { parseArgs } from 'node:util'
import { typesenseInWords } from './cluster-typesense.ts'
import { importLocomo } from './import-locomo.ts'
import { runChaosRounds } from './run.ts'

/*
 * `npm run test:chaos -- --rounds 20 --seed 7`: two of each service on native Postgres, NATS and a Typesense (the
 * real server whose program `DAYBOOK_TYPESENSE_SERVER` names, else the double), which are killed, wiped and slowed down while clients write. `--only NATS` limits it to faults with that in their name.
 * `--locomo ../shared/locomo` imports the conversations through both gateways instead, while processes are killed.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    embedder: { type: 'string', default: 'minilm' },
    only: { type: 'string', default: '' },
    locomo: { type: 'string' },
  },
})
const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
if (!Number.isInteger(rounds) || !Number.isInteger(seed) || !['minilm', 'none'].includes(values.embedder)) {
  console.error('--rounds and --seed must be whole numbers, --embedder minilm or none')
  process.exit(2)
}
console.log(
  `seed ${seed}: it decides who does what; when a fault hits is up to the machine, so no run repeats exactly`,
)
console.log(`on ${typesenseInWords()}`)
// Ends by `exit`, at which every service that was started is killed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const report = (line: string) => console.log(line)
if (values.locomo !== undefined) {
  const { differences, ...result } = await importLocomo(values.locomo, seed, report)
  console.log(result)
  for (const difference of differences) console.error(`  ${difference}`)
  process.exit(differences.length > 0 ? 1 : 0)
}
const run = await runChaosRounds({
  rounds,
  seed,
  embedder: values.embedder as 'minilm' | 'none',
  only: values.only,
  report,
})
console.log(`\n${run.rounds} rounds, ${run.acknowledged} results acknowledged`)
if (run.differences.length > 0) {
  console.error(`FAILED with seed ${seed}; logs and data folders are kept in ${run.folder}`)
  for (const difference of run.differences.slice(0, 50)) console.error(`  ${difference}`)
  process.exit(1)
}
process.exit(0)
