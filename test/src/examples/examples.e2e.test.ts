import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { needing } from '@daybook/runtime/testing/needing'
import { isBare, type Need } from '@daybook/runtime/testing/needs'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { parse as parseToml } from 'smol-toml'
import { afterAll, expect, test } from 'vitest'
import { DAYBOOK_MCP } from '../mcp/stdio-client.ts'
import { REPOSITORY } from '../support/daemon.ts'
import { useOwnProject } from '../support/shared-daemon.ts'

/* Each example as somebody runs it: copied to a folder of its own, with the packages that it names and nothing else. */

const EXAMPLES = join(REPOSITORY, 'examples')
const CLIENT = join(REPOSITORY, 'libs/client/src')
const project = useOwnProject()
const copies = mkdtempSync(join(tmpdir(), 'daybook-examples-'))
afterAll(() => rmSync(copies, { recursive: true, force: true }))

/** Where a package of an example is in this repository: the client's tests have them already, so nobody installs more. */
const folderOf = (name: string) =>
  [join(REPOSITORY, 'libs/client/node_modules', name), join(REPOSITORY, 'node_modules', name)].find(
    existsSync,
  )

const dependenciesOf = (example: string) => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(EXAMPLES, example, 'package.json'), 'utf8'),
  )
  return Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name !== 'daybook')
}

/** The packages of an example. */
function packagesOf(example: string): Need {
  const missing = dependenciesOf(example).filter((name) => folderOf(name) === undefined)
  return {
    name: `the packages of examples/${example}`,
    problem: missing.length === 0 ? null : `${missing.join(', ')} is not installed in this repository`,
    optional: true,
  }
}

const hasCurl = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'curl')))
const CURL: Need = {
  name: 'curl',
  problem: hasCurl && !isBare() ? null : 'it is not installed',
  optional: true,
}

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  DAYBOOK_URL: project.url,
  DAYBOOK_API_KEY: readFileSync(join(project.dataDir, 'api-key'), 'utf8').trim(),
})

const run = promisify(execFile)

/** Runs a program of an example in its copy. `daybook` there is the client of this repository. */
async function runCopy(
  example: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<string> {
  const folder = join(copies, example)
  if (!existsSync(folder)) {
    cpSync(join(EXAMPLES, example), folder, { recursive: true })
    const link = (name: string, target: string) => {
      const path = join(folder, 'node_modules', name)
      mkdirSync(dirname(path), { recursive: true })
      symlinkSync(target, path)
    }
    for (const name of dependenciesOf(example)) link(name, folderOf(name) ?? '')
    const daybook = join(folder, 'node_modules/daybook')
    mkdirSync(daybook, { recursive: true })
    const entries = {
      './client': 'index.ts',
      './client/ai': 'ai/index.ts',
      './client/langgraph': 'langgraph/index.ts',
    }
    const exports: Record<string, string> = {}
    for (const [index, [entry, source]] of Object.entries(entries).entries()) {
      exports[entry] = `./${index}.js`
      writeFileSync(join(daybook, `${index}.js`), `export * from '${join(CLIENT, source)}'\n`)
    }
    writeFileSync(join(daybook, 'package.json'), JSON.stringify({ name: 'daybook', type: 'module', exports }))
  }
  const options = { cwd: folder, env: { ...environment(), ...more } }
  const tsx = join(folder, 'node_modules/tsx/dist/cli.mjs')
  return (await run(process.execPath, [tsx, 'main.ts', ...args], options)).stdout
}

const runScript = async (example: string, script: string, ...args: string[]) =>
  (await run('bash', [join(EXAMPLES, example, script), ...args], { env: environment() })).stdout

needing(CURL).test('curl remembers, finds, revises and reads the history', async () => {
  const printed = await runScript('curl', 'run.sh')
  const [remembered, found, revised, history] = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).data)
  expect(remembered.remember.sequence).toBeGreaterThan(0)
  expect(found.search.hits[0].memory.text).toContain('Mondays')
  expect(revised.revise.memory).toMatchObject({ version: 2, text: expect.stringContaining('Tuesdays') })
  const versions = history.memory.history.edges.map(
    (edge: { node: { version: number } }) => edge.node.version,
  )
  expect(versions.toSorted()).toEqual([1, 2])
})

needing(packagesOf('typescript')).test('the TypeScript client', async () => {
  const printed = await runCopy('typescript', [])
  expect(printed).toMatch(/^event \d+: decision:\S+\n0\.\d\d queue: NATS JetStream\n/u)
  expect(printed).toMatch(/\nVERSION_CONFLICT\nevent \d+: MemoryRevised\n$/u)
})

/** A server that speaks OpenAI's API for chats, and says one message for each request. */
async function startModel(messages: readonly object[]) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const message = { role: 'assistant', ...messages[asked.length] }
    asked.push(body)
    const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop'
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ id: 'a', created: 0, model: 'm', choices: [{ index: 0, message, finish_reason }] }),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const MODELS_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { asked, environment: { MODELS_URL }, stop: () => server.close() }
}

needing(packagesOf('ai-sdk')).test(
  'an assistant of the AI SDK remembers, and is told in the next run',
  async () => {
    const input = JSON.stringify({ text: 'The user takes tea, no coffee', key: 'drinks', labels: [] })
    const call = { id: 'call-1', type: 'function', function: { name: 'remember', arguments: input } }
    const model = await startModel([
      { content: null, tool_calls: [call] },
      { content: 'Noted' },
      { content: 'Tea' },
    ])
    try {
      expect(await runCopy('ai-sdk', ['I take tea, no coffee'], model.environment)).toBe('Noted\n')
      expect(await runCopy('ai-sdk', ['Which drinks: tea or coffee?'], model.environment)).toBe('Tea\n')
      const [first, answered, next] = model.asked
      expect(first).not.toContain('The user takes tea')
      expect(answered).toContain('REMEMBERED')
      expect(next).toContain('The user takes tea, no coffee')
    } finally {
      model.stop()
    }
  },
)

needing(packagesOf('langgraph')).test(
  'a graph of LangGraph knows in its second step what the first one said',
  async () => {
    expect(await runCopy('langgraph', [])).toContain("known of kai: [ 'I take green tea, and no coffee' ]")
  },
)

/** A server as a program's configuration names it. */
interface Configured {
  readonly command: string
  readonly args: readonly string[]
}

const PROGRAMS: readonly (readonly [string, string, (text: string) => { readonly daybook: Configured }])[] = [
  ['Claude Code', 'claude-code/.mcp.json', (text) => JSON.parse(text).mcpServers],
  ['VS Code', 'vscode/.vscode/mcp.json', (text) => JSON.parse(text).servers],
  [
    'Codex',
    'codex/config.toml',
    (text) => parseToml(text)['mcp_servers'] as unknown as { daybook: Configured },
  ],
]

test('agents’ programs remember and find over MCP', async () => {
  // The package is not published yet: the repository's own command is the same.
  for (const [program, file, serversIn] of PROGRAMS) {
    const { command, args } = serversIn(readFileSync(join(EXAMPLES, 'mcp', file), 'utf8')).daybook
    expect([program, command, ...args]).toEqual([program, 'daybook', 'mcp'])
  }
  await Promise.all(PROGRAMS.map(([program]) => useAs(program)))
})

/** Remembers and finds as a program does. */
async function useAs(program: string): Promise<void> {
  const client = new Client({ name: program, version: '1.0.0' })
  const env = environment() as Record<string, string>
  await client.connect(
    new StdioClientTransport({ ...DAYBOOK_MCP, args: [...DAYBOOK_MCP.args], env, cwd: project.dataDir }),
  )
  try {
    const memories = [{ kind: 'note', fields: { text: `${program} likes lanterns` } }]
    await client.callTool({ name: 'remember', arguments: { memories } })
    const found = await client.callTool({ name: 'search', arguments: { query: `${program} lanterns` } })
    expect(JSON.stringify(found.structuredContent)).toContain(`${program} likes lanterns`)
  } finally {
    await client.close()
  }
}

needing(CURL).test('the console opens by a link that works once', async () => {
  const printed = await runScript('console', 'open.sh', 'token security')
  const [link = '', search] = printed.match(/https?:\S+/gu) ?? []
  expect(search).toBe(`${project.url}/?q=token+security`)
  const headers = { accept: 'text/html' }
  const opened = await fetch(link, { headers, redirect: 'manual' })
  expect(opened.status).toBeLessThan(400)
})
