import { scriptOptions } from '../../support/script-options.ts'
import { runSyncChaos } from './run.ts'

const options = scriptOptions(
  'npm run test:sync -- [options]',
  `Daemons with one home, between which ways are cut and frozen while they are killed and everybody writes, a third of them
offline; the home moves and is lost, too. In the end all must have the same journal, with all that was acknowledged, once.`,
  {
    rounds: { default: 20, description: 'rounds; after each one everything is compared' },
    minutes: { default: 0, description: 'no further round begins after so many; 0: no limit' },
    writes: {
      default: 0,
      description: 'no further round begins after so many acknowledged writes; 0: no limit',
    },
    seed: { default: Date.now() % 1_000_000, description: 'decides who does what' },
    daemons: { default: 5, description: 'daemons, one of which is the home' },
    writers: { default: 2, description: 'writers at each daemon' },
    faults: { default: 1, description: 'faults at a time' },
    'round-seconds': { default: 10, description: 'how long everybody writes in a round' },
    promotions: { default: true, description: 'whether the home moves and is lost, too' },
  },
)
const { rounds, minutes, writes, seed, daemons, writers, faults, promotions } = options

console.log(
  `seed ${seed}: it decides who does what; when a fault hits is up to the machine, so no run repeats exactly`,
)
// `exit` kills every daemon that was started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const { differences, folders, ...run } = await runSyncChaos({
  rounds,
  seed,
  daemons,
  writers,
  faults,
  promotions,
  roundMs: options['round-seconds'] * 1_000,
  ...(minutes > 0 && { forMs: minutes * 60_000 }),
  ...(writes > 0 && { writes }),
  report: (line) => console.log(line),
})
console.log(run)
if (differences.length > 0) {
  console.error(`FAILED with seed ${seed}; data folders with logs are kept: ${folders.join(' ')}`)
  for (const difference of differences) console.error(`  ${difference}`)
  process.exit(1)
}
process.exit(0)
