import { scriptOptions } from '../support/script-options.ts'
import { runCrashRounds } from './run.ts'

const options = scriptOptions(
  'npm run test:crash -- [options]',
  'Kills an embedded daemon and its database, over and over, while clients write. What was acknowledged must be there.',
  {
    rounds: { default: 200, description: 'kills' },
    seed: { default: Date.now() % 1_000_000, description: 'decides who does what' },
    'rounds-per-folder': { default: 8, description: 'rounds on one data folder, so that its history grows' },
    only: { default: '', description: 'only faults with this in their names, such as "of the database"' },
    'keep-going': { default: false, description: 'goes on after a failure, on a new data folder' },
  },
)
const { seed, rounds } = options
console.log(
  `seed ${seed}: it decides who does what; when a kill hits is up to the machine, so no run repeats exactly`,
)
const started = Date.now()
const run = await runCrashRounds({
  rounds,
  seed,
  roundsPerFolder: options['rounds-per-folder'],
  only: options.only,
  keepGoing: options['keep-going'],
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
