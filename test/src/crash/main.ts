import { parseArgs } from 'node:util'
import { runCrashRounds } from './run.ts'

/*
 * `npm run test:crash -- --rounds 200 --seed 7`: kills the daemon and its database over and over while clients write.
 * `--only "of the database"` limits it to faults with that in their name, `--keep-going` goes on after a failure.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'rounds-per-folder': { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    'keep-going': { type: 'boolean', default: false },
  },
})

function wholeNumber(option: 'rounds' | 'seed' | 'rounds-per-folder'): number {
  const number = Number(values[option])
  if (Number.isInteger(number) && number >= 1) return number
  console.error(`--${option} must be a whole number from 1 on, not "${values[option]}"`)
  process.exit(2)
}

const seed = wholeNumber('seed')
const rounds = wholeNumber('rounds')
console.log(
  `seed ${seed}: it decides who does what; when a kill hits is up to the machine, so no run repeats exactly`,
)
const started = Date.now()
const run = await runCrashRounds({
  rounds,
  seed,
  roundsPerFolder: wholeNumber('rounds-per-folder'),
  only: values.only,
  keepGoing: values['keep-going'],
  report: (line) => console.log(line),
})
for (const { round, fault, differences, dataDir } of run.failures) {
  console.error(`\nFAILED: seed ${seed}, round ${round}, ${fault}\n  the data folder is kept in ${dataDir}`)
  for (const difference of differences) console.error(`  ${difference}`)
}
const minutes = ((Date.now() - started) / 60_000).toFixed(1)
console.log(
  `\n${run.rounds} rounds in ${minutes} min: ${run.acknowledged} results acknowledged, ${run.duplicates} found committed when tried again, ${run.failures.length} rounds failed`,
)
process.exit(run.failures.length > 0 ? 1 : 0)
