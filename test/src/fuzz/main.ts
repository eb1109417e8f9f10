import { scriptOptions } from '../support/script-options.ts'
import { runFuzz } from './run.ts'

const { requests, seed } = scriptOptions(
  'npm run test:fuzz -- [options]',
  'Sends random and mutated GraphQL and HTTP requests to an embedded daemon. None may be answered with a fault of ours, show another project, or make the daemon grow.',
  {
    requests: { default: 20_000, description: 'requests' },
    seed: { default: Date.now() % 1_000_000, description: 'decides which requests are sent' },
  },
)
console.log(`seed ${seed}`)
const started = Date.now()
const run = await runFuzz({ requests, seed, report: (line) => console.log(line) })
for (const fault of run.faults) console.error(`\nFAULT ${fault}`)
console.log(`\n${run.requests} requests in ${((Date.now() - started) / 60_000).toFixed(1)} min`)
console.log(`statuses: ${JSON.stringify(run.statuses)}`)
console.log(`${run.faults.length} faults`)
process.exit(run.faults.length > 0 ? 1 : 0)
