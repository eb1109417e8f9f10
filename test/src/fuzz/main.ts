import { scriptOptions } from '../support/script-options.ts'
import { runFuzz } from './run.ts'
import { runSyncFuzz } from './sync/run-sync.ts'

const { requests, followers, homes, seed } = scriptOptions(
  'npm run test:fuzz -- [options]',
  'Sends random and mutated GraphQL and HTTP requests to an embedded daemon, then those of false followers to a home, and answers of false homes to a follower. None may be answered with a fault of ours, show another project, or make the daemon grow.',
  {
    requests: { default: 20_000, description: 'requests' },
    followers: { default: 20_000, description: 'questions of false followers' },
    homes: { default: 20_000, description: 'answers of false homes' },
    seed: { default: Date.now() % 1_000_000, description: 'decides what is sent' },
  },
)
console.log(`seed ${seed}`)
const started = Date.now()
const report = (line: string) => console.log(line)
const faults: string[] = []
if (requests > 0) {
  const run = await runFuzz({ requests, seed, report })
  faults.push(...run.faults)
  console.log(`statuses: ${JSON.stringify(run.statuses)}`)
}
if (followers + homes > 0) {
  const run = await runSyncFuzz({ followers, homes, seed, report })
  faults.push(...run.faults)
  console.log(`statuses of questions of followers: ${JSON.stringify(run.statuses)}`)
}
for (const fault of faults) console.error(`\nFAULT ${fault}`)
console.log(
  `\n${requests} requests, ${followers} questions and ${homes} answers in ${((Date.now() - started) / 60_000).toFixed(1)} min`,
)
console.log(`${faults.length} faults`)
process.exit(faults.length > 0 ? 1 : 0)
