import { scriptOptions } from '../support/script-options.ts'
import { runTenants } from './run.ts'

const {
  seed,
  'database-url': databaseUrl,
  ...options
} = scriptOptions(
  'npm run test:tenants -- [options]',
  'Mixes the requests of many projects on one daemon. No answer may hold anything of another project.',
  {
    projects: { default: 100, description: 'projects' },
    memories: { default: 1_000, description: 'memories that each begins with' },
    requests: { default: 100_000, description: 'requests, of 16 clients side by side' },
    seed: { default: Date.now() % 1_000_000, description: 'decides who asks what' },
    'database-url': {
      default: '',
      description: 'an empty database of a Postgres server; default the embedded one',
    },
  },
)
console.log(`seed ${seed}`)
const started = Date.now()
const run = await runTenants({
  ...options,
  seed,
  ...(databaseUrl === '' ? {} : { databaseUrl }),
  report: (line) => console.log(`${((Date.now() - started) / 1_000).toFixed(0)} s: ${line}`),
})
for (const leak of run.leaks) console.error(`\nLEAK ${leak}`)
console.log(
  `\n${run.requests} requests, ${run.withOwn} with marks of their own project, ${run.leaks.length} leaks`,
)
process.exit(run.leaks.length > 0 || run.withOwn === 0 ? 1 : 0)
