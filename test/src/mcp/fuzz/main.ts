import { scriptOptions } from '../../support/script-options.ts'
import { runMcpFuzz } from './run.ts'

const { seconds, kills, seed } = scriptOptions(
  'node --import tsx test/src/mcp/fuzz/main.ts [options]',
  'Calls every tool of MCP at random, over stdio and HTTP, with several keys, while the daemon is killed. What a client was told must be in the journal once.',
  {
    seconds: { default: 600, description: 'how long clients call' },
    kills: { default: 12, description: 'kills of the daemon, in the first two thirds' },
    seed: { default: Date.now() % 1_000_000, description: 'decides what is called' },
  },
)
console.log(`seed ${seed}`)
const run = await runMcpFuzz({ seconds, kills, seed, report: (line) => console.log(line) })
for (const fault of run.faults) console.error(`\nFAULT ${fault}`)
const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MB`
console.log(
  `\n${run.calls} calls, ${run.succeeded} succeeded, ${run.told} writes told, ${run.kills} kills, ${run.faults.length} faults`,
)
console.log(`the daemon's heap at the end: ${run.heap.map(megabytes).join(', ')}`)
for (const [name, [before, now]] of Object.entries(run.memory))
  console.log(`${name}: ${megabytes(before)}, at the end ${megabytes(now)}`)
process.exit(run.faults.length > 0 ? 1 : 0)
