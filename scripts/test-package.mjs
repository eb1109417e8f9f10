// Tests the npm package as people get it: it holds what it should and nothing else. Then each time in an empty folder
// with an empty home: installed from its files, it starts Daybook, remembers, finds by meaning and stops, for people and
// for agents, and would become a service; installed from a registry, it brings exactly what its bill of materials says,
// and takes no more room than it may. It asks npm's registry for what npm's cache does not have.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startRegistry } from './packaging/local-registry.mjs'
import { foldersOf } from './packaging/vendored.mjs'
import { REPOSITORY } from './repository.mjs'

/** The package of ONNX Runtime for this machine. */
const ONNX = `daybook-onnx-${process.platform}-${process.arch}`
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
  async function run(more, command, ...args) {
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...env, ...more },
      shell: inShell,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (printed += text))
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${printed}`)
    return printed
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
    run: (command, ...args) => run({}, command, ...args),
    /** The same with more variables. */
    runWith: run,
  }
}

function check(condition, complaint) {
  if (!condition) throw new Error(complaint)
}

/** Names of pieces that hold a hash of their content; a bundle's are as many as esbuild makes. */
const HASHED = /[^/]+-[0-9A-Z]{8}(?=\.(?:js|css)(?:\.(?:br|gz))?$)/u

/** Declarations of the client, whose programs' types are checked below. */
const DECLARATION = /^dist\/client\/types\/.+\.d\.ts$/u

/** The folder of a package in the tarball, the innermost. */
const VENDORED = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/u

/** Compares a tarball with what it should hold. */
function testContent(tarball, expected) {
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n')
  const held = new Set(
    listed.map((path) => {
      const inside = path.replace(/^package\//u, '')
      return (
        VENDORED.exec(inside)?.[0] ??
        inside.replace(DECLARATION, 'dist/client/types/#.d.ts').replace(HASHED, '#')
      )
    }),
  )
  const surplus = [...held].filter((path) => !expected.has(path))
  // A small service is one piece.
  const missing = [...expected].filter((path) => !held.has(path) && !path.endsWith('#.js'))
  check(
    surplus.length + missing.length === 0,
    `${tarball} holds too much: ${surplus.join(', ') || 'nothing'}; lacks: ${missing.join(', ') || 'nothing'}`,
  )
}

/** The files of the package `daybook`, with `#` for the pieces of a bundle, and the folders of the packages in it. */
function contentOfDaybook({ bundleDependencies }) {
  const lock = JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8'))
  const content = new Set([
    ...foldersOf(lock, bundleDependencies),
    'LICENSE',
    'README.md',
    'THIRD-PARTY-LICENCES.md',
    'package.json',
    'bin/daybook.mjs',
    ...['index', 'ai', 'langgraph', '#'].map((name) => `dist/client/${name}.js`),
    'dist/client/types/#.d.ts',
    'dist/console/index.html',
    ...['js', 'css'].flatMap((type) =>
      ['', '.br', '.gz'].map((packed) => `dist/console/assets/#.${type}${packed}`),
    ),
  ])
  for (const service of readdirSync(join(REPOSITORY, 'services'))) {
    const file = join(REPOSITORY, 'services', service, 'package.json')
    const { bundle } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
    if (bundle === undefined) continue
    for (const entry of [...Object.keys(bundle), '#']) content.add(`dist/${service}/${entry}.js`)
  }
  return content
}

/** What the example needs of Node's types, which are not installed here. */
const PROCESS = 'declare const process: { env: Record<string, string | undefined> }\n'

/** What the compiler must refuse. */
const MISTAKES = `
// @ts-expect-error there is no such field
console.log(hits[0]?.memory.nonsense)
// @ts-expect-error a note has a text
await client.remember({ content: { note: { txt: '' } } })
// @ts-expect-error there is no such kind
await client.list({ filter: { kinds: ['NOTHING'] } })
`

const CHECKED = [
  '--noEmit',
  '--strict',
  '--module',
  'nodenext',
  '--target',
  'es2023',
  '--lib',
  'es2023,dom',
  '--types',
  '',
]

async function testFile(tarballs) {
  const machine = emptyMachine('file')
  const daybook = async (...args) => JSON.parse(await machine.run('npx', 'daybook', ...args, '--json'))
  await machine.run('npm', 'install', ...tarballs)
  step('installed from the files')
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
    // It has no types in it, so it is JavaScript as well.
    const program = readFileSync(join(REPOSITORY, 'examples/typescript/main.ts'), 'utf8')
    writeFileSync(join(machine.folder, 'main.mjs'), program)
    writeFileSync(join(machine.folder, 'main.mts'), `${PROCESS}${program}${MISTAKES}`)
    const compiler = join(REPOSITORY, 'node_modules/typescript-7/bin/tsc')
    await machine.run(process.execPath, compiler, ...CHECKED, 'main.mts')
    step('the compiler knows its types')
    const apiKey = readFileSync(join(started.dataDir, 'api-key'), 'utf8').trim()
    const asked = { DAYBOOK_URL: started.url, DAYBOOK_API_KEY: apiKey }
    const printed = await machine.runWith(asked, process.execPath, 'main.mjs')
    check(printed.includes('queue: NATS JetStream'), `a program with its client printed ${printed}`)
    step('a program remembers and finds with its client')
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

/** Megabytes that an installation may take. It was 475 before other platforms' libraries were left out. */
const ROOM_MB = 220

/** The bytes of a folder's files. */
function roomOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** The packages below a folder `node_modules`, as `name@version`. */
function* packagesBelow(folder) {
  for (const entry of existsSync(folder) ? readdirSync(folder) : []) {
    const at = join(folder, entry)
    if (entry.startsWith('@')) yield* packagesBelow(at)
    else if (existsSync(join(at, 'package.json'))) {
      const { name, version } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
      yield `${name}@${version}`
      yield* packagesBelow(join(at, 'node_modules'))
    }
  }
}

async function testRegistry(packages, { name, version }) {
  const machine = emptyMachine('registry')
  const registry = await startRegistry(packages)
  await machine.run('npm', 'install', '--registry', registry.url, name).finally(registry.close)
  const installed = join(machine.folder, 'node_modules')
  const found = new Set(packagesBelow(installed))
  const bill = JSON.parse(readFileSync(join(REPOSITORY, `dist/${name}-${version}.cdx.json`), 'utf8'))
  const listed = new Set(bill.components.map((one) => one['bom-ref']))
  for (const one of found)
    check(one === `${name}@${version}` || listed.has(one), `${one} is not in the bill of materials`)
  const onnx = [...found].filter((one) => one.startsWith('daybook-onnx-'))
  check(onnx.join() === `${ONNX}@${version}`, `it brought ${onnx.join(', ') || 'no ONNX Runtime'}`)
  const room = roomOf(installed) / 1e6
  check(room <= ROOM_MB, `it takes ${room.toFixed(0)} MB, more than ${ROOM_MB}`)
  check((await machine.run('npx', 'daybook', '--version')).trim() === version, 'it does not run')
  step(`installed from a registry: ${found.size} packages of its bill, ${room.toFixed(0)} MB`)
}

const made = execFileSync(process.execPath, [join(REPOSITORY, 'scripts/package.mjs')], { encoding: 'utf8' })
const tarball = made.trim().split('\n').at(-1)
step(`made ${tarball}`)
try {
  const folders = [join(REPOSITORY, 'dist/package'), join(REPOSITORY, 'dist/onnx', ONNX)]
  const packages = folders.map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return { manifest, tarball: join(REPOSITORY, 'dist', `${manifest.name}-${manifest.version}.tgz`) }
  })
  const [daybook, platform] = packages
  testContent(daybook.tarball, contentOfDaybook(daybook.manifest))
  testContent(platform.tarball, new Set(['LICENSE', 'README.md', 'package.json', ...platform.manifest.files]))
  step('its content is what it should be')
  // Both mostly wait for the disk. Both end before their folders are removed.
  const ended = await Promise.allSettled([
    testFile(packages.map((one) => one.tarball)),
    testRegistry(packages, daybook.manifest),
  ])
  for (const { reason } of ended) if (reason !== undefined) throw reason
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}
