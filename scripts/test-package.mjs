// Tests the npm package as people get it, each time in an empty folder with an empty home: installed from its file, it
// starts Daybook, remembers, finds by meaning and stops, for people and for agents, and would become a service;
// installed from a registry, it brings exactly the packages of our lockfile. It asks npm's registry for what npm's cache
// does not have.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startRegistry } from './packaging/local-registry.mjs'
import { REPOSITORY } from './repository.mjs'

const inShell = process.platform === 'win32'
const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8', shell: inShell }).trim()
const root = mkdtempSync(join(tmpdir(), 'daybook-package-'))
const beganAt = Date.now()
const step = (text) => console.log(`${((Date.now() - beganAt) / 1000).toFixed(1)} s  ${text}`)

/** A new folder, and what runs a command in it that knows nothing of this machine but npm's cache. */
function emptyMachine(name) {
  const [folder, home] = [join(root, name), join(root, `${name}-home`)]
  for (const one of [folder, home]) mkdirSync(one)
  const { PATH } = process.env
  const env = {
    PATH,
    HOME: home,
    USERPROFILE: home,
    LOCALAPPDATA: join(home, 'AppData'),
    npm_config_cache: cache,
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  }
  return {
    folder,
    home,
    /** A client of the MCP server, which is started by the command that `daybook mcp install` writes. */
    async connect(command, ...args) {
      const client = new Client({ name: 'newcomer', version: '1' })
      await client.connect(new StdioClientTransport({ command, args, cwd: folder, env }))
      return client
    },
    async run(command, ...args) {
      const child = spawn(command, args, {
        cwd: folder,
        env,
        shell: inShell,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let printed = ''
      child.stdout.setEncoding('utf8').on('data', (text) => (printed += text))
      const [code] = await once(child, 'close')
      if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${printed}`)
      return printed
    },
  }
}

function check(condition, complaint) {
  if (!condition) throw new Error(complaint)
}

async function testFile(tarball) {
  const machine = emptyMachine('file')
  const daybook = async (...args) => JSON.parse(await machine.run('npx', 'daybook', ...args, '--json'))
  await machine.run('npm', 'install', '--ignore-scripts', tarball)
  step('installed from the file')
  const started = await daybook('start', '--detach')
  try {
    check(started.dataDir.startsWith(machine.home), `its data folder is ${started.dataDir}, not in the home`)
    step(`started on ${started.dataDir.slice(machine.home.length)}`)
    await daybook(
      'remember',
      'stash',
      '--name',
      'auth-flow',
      'User authentication implementation with JWT tokens',
    )
    for (
      let tries = 0;
      !JSON.stringify(await daybook('search', 'login system')).includes('auth-flow');
      tries += 1
    )
      check(tries < 50, 'the stash was not found by its meaning')
    step('remembered, and found by meaning')
    const { url } = await daybook('console')
    const page = await fetch(new URL('/', url), { headers: { accept: 'text/html' } })
    const script = /src="(\/console\/assets\/main-[^"]+)"/u.exec(await page.text())?.[1]
    check(script !== undefined && (await fetch(new URL(script, url))).ok, 'it serves no console')
    step('serves the console')
    check((await daybook('status')).ready, 'its status is not ready')
    await testAgent(machine, daybook)
    check((await daybook('stop')).stopped, 'it did not stop')
    step('stopped')
    await testAgentAlone(machine, daybook)
  } catch (error) {
    await daybook('stop')
    throw error
  }
}

/** What an agent and its program do, while the daemon runs. */
async function testAgent(machine, daybook) {
  const { outcomes } = await daybook('mcp', 'install', '--client', 'claude-code', '--dry-run')
  const { command, args } = JSON.parse(outcomes[0].snippet).mcpServers.daybook
  const file = realpathSync(join(machine.folder, 'node_modules/daybook/bin/daybook.mjs'))
  check(
    command === process.execPath && args.join(' ') === `${file} mcp`,
    `an agent’s program would run ${[command, ...args].join(' ')}`,
  )
  check(!existsSync(join(machine.home, '.claude.json')), 'a dry run wrote a configuration')
  const client = await machine.connect(command, ...args)
  const { tools } = await client.listTools()
  check(
    tools.some(({ name }) => name === 'remember'),
    'its MCP server has no tool "remember"',
  )
  const memories = [{ kind: 'note', fields: { text: 'The login is tested on Mondays' } }]
  check(!(await client.callTool({ name: 'remember', arguments: { memories } })).isError, 'no tool remembers')
  const found = await client.callTool({ name: 'search', arguments: { query: 'login' } })
  for (const text of ['auth-flow', 'Mondays'])
    check(JSON.stringify(found.structuredContent).includes(text), `an agent does not find ${text}`)
  await client.close()
  step(`an agent finds it with ${tools.length} tools, by ${command} ${args.join(' ')}`)

  const known = JSON.parse(await machine.run('npx', 'daybook', 'hook', 'session-start', '--context', 'file'))
  const { additionalContext } = known.hookSpecificOutput
  check(additionalContext.includes('Mondays'), 'a session is not told what is known')
  if (process.platform !== 'win32') {
    const { text } = await daybook('service', 'install', '--dry-run')
    check(text.includes(join(machine.folder, 'node_modules')), 'a service would run something else')
  }
  step('a session is told of it; it would become a service')
}

/** An agent that comes while no daemon runs. */
async function testAgentAlone(machine, daybook) {
  const client = await machine.connect('npx', 'daybook', 'mcp')
  try {
    const found = await client.callTool({ name: 'search', arguments: { query: 'login system' } })
    check(
      JSON.stringify(found.structuredContent).includes('auth-flow'),
      'an agent that comes first finds nothing',
    )
    step('an agent starts it')
  } finally {
    await client.close()
    await daybook('stop')
  }
}

async function testRegistry(tarball, manifest) {
  const machine = emptyMachine('registry')
  const registry = await startRegistry(tarball, manifest)
  await machine.run('npm', 'install', '--registry', registry.url, manifest.name).finally(registry.close)
  const installed = join(machine.folder, 'node_modules', manifest.name)
  const { packages } = JSON.parse(readFileSync(join(installed, 'npm-shrinkwrap.json'), 'utf8'))
  for (const [path, { version, optional }] of Object.entries(packages)) {
    const file = join(installed, path, 'package.json')
    if (!existsSync(file) && optional === true) continue
    check(
      JSON.parse(readFileSync(file, 'utf8')).version === version,
      `${path} is not ${version}, as in the lockfile`,
    )
  }
  // Its install script would have put them there.
  const cuda = 'node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime_providers_cuda.so'
  check(!existsSync(join(installed, cuda)), 'an install script ran')
  check((await machine.run('npx', 'daybook', '--version')).trim() === manifest.version, 'it does not run')
  step(
    `installed from a registry: ${Object.keys(packages).length - 1} packages as in the lockfile, no install script ran`,
  )
}

const made = execFileSync(process.execPath, [join(REPOSITORY, 'scripts/package.mjs')], { encoding: 'utf8' })
const tarball = made.trim().split('\n').at(-1)
step(`made ${tarball}`)
try {
  const manifest = JSON.parse(readFileSync(join(REPOSITORY, 'dist/package/package.json'), 'utf8'))
  // Both mostly wait for the disk. Both end before their folders are removed.
  const ended = await Promise.allSettled([testFile(tarball), testRegistry(tarball, manifest)])
  for (const { reason } of ended) if (reason !== undefined) throw reason
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}
