import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestDaemon, REPOSITORY } from '../support/daemon.ts'
import { scriptOptions } from '../support/script-options.ts'
import { INSPECTOR_WAYS, SDK_WAYS, tryWay } from './examples/ways.ts'
import { printRun } from './fuzz/print-run.ts'

/* Everything that MCP promises, on a real daemon, with the clients of others. The inspector is downloaded by npx. */

const options = scriptOptions(
  'npm run test:mcp -- [options]',
  'Lists and calls every tool with the SDK’s client and the inspector, over stdio and HTTP; many clients on one daemon that is killed; the conformance suite; random calls.',
  {
    only: {
      default: '',
      description: 'only the parts with this in their names: examples, inspector, clients, conformance, fuzz',
    },
    clients: { default: 50, description: 'processes over stdio that share one daemon' },
    seconds: { default: 600, description: 'how long random calls go on' },
    kills: { default: 12, description: 'kills of the daemon meanwhile' },
    seed: { default: Date.now() % 1_000_000, description: 'decides what is called at random' },
  },
)

/** Runs a program of the repository in the foreground. @returns what is wrong */
function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string[]> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: REPOSITORY,
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    })
    child.once('exit', (code) => resolve(code === 0 ? [] : [`${args.join(' ')} ended with ${code}`]))
  })
}

const vitest = (file: string, environment: Readonly<Record<string, string>> = {}) =>
  run(['node_modules/vitest/vitest.mjs', 'run', file], environment)

/** Each way on a daemon of its own, with all its services and the model, so that backfilling has work. */
async function tryWays(ways: typeof SDK_WAYS): Promise<string[]> {
  const daemon = createTestDaemon(undefined, { embedder: 'minilm' })
  const faults: string[] = []
  try {
    await daemon.start()
    const key = readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim()
    for (const open of ways) {
      const started = Date.now()
      const way = await open({ url: daemon.url() ?? '', key, dataDir: daemon.dataDir })
      const found = await tryWay(way).finally(() => way.close())
      console.log(`  ${way.name}: ${found.length} faults, ${((Date.now() - started) / 1_000).toFixed(1)} s`)
      faults.push(...found.map((fault) => `${way.name}: ${fault}`))
    }
  } finally {
    await daemon.remove()
  }
  return faults
}

const PARTS: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  examples: () => tryWays(SDK_WAYS),
  inspector: () => tryWays(INSPECTOR_WAYS),
  clients: () =>
    vitest('test/src/mcp/many-clients.e2e.test.ts', { DAYBOOK_MCP_CLIENTS: String(options.clients) }),
  conformance: () => vitest('test/src/mcp/conformance'),
  fuzz: () => printRun(options),
}

const faults: string[] = []
for (const [name, part] of Object.entries(PARTS).filter(([one]) => one.includes(options.only))) {
  console.log(`\n${name}`)
  faults.push(...(await part()))
}
for (const fault of faults) console.error(`\nFAULT ${fault}`)
console.log(`\n${faults.length} faults`)
process.exit(faults.length > 0 ? 1 : 0)
