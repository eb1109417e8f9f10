import { scriptOptions } from '../support/script-options.ts'
import { runPowerCuts } from './run.ts'

const options = scriptOptions(
  'npm run test:power -- [options]',
  'Cuts the power of an embedded daemon, over and over, on a disk that forgets what was not synced. What was acknowledged must be there.',
  {
    cuts: { default: 500, description: 'power cuts' },
    seed: {
      default: Date.now() % 1_000_000,
      description: 'decides who does what, and what the disk forgets',
    },
    'cuts-per-folder': { default: 8, description: 'cuts of one data folder, so that its history grows' },
    fsync: { default: true, description: 'without it, the run must fail soon' },
    'keep-going': { default: false, description: 'goes on after a failure, on a new data folder' },
  },
)
const { seed, cuts } = options
console.log(`seed ${seed}: the moments of a cut depend on the machine, too, so no run repeats exactly`)
const started = Date.now()
const run = await runPowerCuts({
  cuts,
  seed,
  cutsPerFolder: options['cuts-per-folder'],
  keepGoing: options['keep-going'],
  environment: options.fsync ? {} : { DAYBOOK_FSYNC: 'off' },
  report: (line) => console.log(line),
})
for (const { cut, what, differences, dataDir } of run.failures) {
  console.error(`\nFAILED: seed ${seed}, cut ${cut}, ${what}\n  the data folder is kept in ${dataDir}`)
  for (const difference of differences) console.error(`  ${difference}`)
}
const minutes = ((Date.now() - started) / 60_000).toFixed(1)
console.log(
  `\n${run.cuts} cuts in ${minutes} min, seed ${seed}: ${run.acknowledged} results acknowledged, ${run.erased} memories erased, ${run.kept} of ${run.pending} pending changes stayed, ${run.failures.length} cuts failed`,
)
process.exit(run.failures.length > 0 ? 1 : 0)
