import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse as parseJson } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serverOf } from './client-config.ts'
import { MCP_CLIENTS, type McpClient, type Scope } from './clients.ts'
import { changeConfig } from './config/config-file.ts'
import { type InstallRequest, install, uninstall } from './install.ts'
import { temporaryPlace } from './testing/temporary-place.ts'

let place: ReturnType<typeof temporaryPlace>
beforeEach(() => {
  place = temporaryPlace()
})
afterEach(() => place.remove())

const OWN = { command: '/opt/node', args: ['/opt/daybook/bin/daybook.mjs', 'mcp'] }
const clientOf = (id: string) => MCP_CLIENTS.find((client) => client.id === id) as McpClient

function wanted(client: McpClient, other: Partial<InstallRequest> = {}): InstallRequest {
  return { client, scope: 'user', place, name: 'daybook', dryRun: false, force: false, ...other }
}
const add = (one: InstallRequest, options: Parameters<typeof serverOf>[0] = {}) =>
  install(one, serverOf(options, one.scope, OWN, place))

function fileOf(client: McpClient, scope: Scope = 'user', text?: string): string {
  const file = client.files[scope]?.(place) ?? ''
  mkdirSync(dirname(file), { recursive: true })
  if (text !== undefined) writeFileSync(file, text, { mode: 0o640 })
  return file
}

const parse = (client: McpClient, text: string): Record<string, Record<string, unknown>> =>
  client.format === 'toml' ? (parseToml(text) as never) : parseJson(text)

/** A configuration with comments and another server, in the client's language. */
const BUSY: Record<McpClient['format'], (section: string) => string> = {
  json: (section) =>
    `// mine\n{\n  "theme": "dark", // at night\n  "${section}": {\n    "other": { "command": "x" } // keep\n  }\n}\n`,
  toml: (section) => `# mine\nmodel = "a" # the best\n\n[${section}.other]\ncommand = "x" # keep\n`,
}

const EACH = MCP_CLIENTS.flatMap((client) =>
  (Object.keys(client.files) as Scope[]).map((scope) => [client.id, scope, client] as const),
)

test.each(EACH)(
  '%s (%s): installs, installs again, and uninstalls to the same bytes',
  async (_, scope, client) => {
    const text = BUSY[client.format](client.section)
    const file = fileOf(client, scope, text)
    expect(await add(wanted(client, { scope }))).toMatchObject({ outcome: 'added', file })
    const installed = readFileSync(file, 'utf8')
    const { [client.section]: servers, ...rest } = parse(client, installed)
    expect(servers).toEqual({
      other: { command: 'x' },
      daybook: expect.objectContaining({
        command: '/opt/node',
        args: ['/opt/daybook/bin/daybook.mjs', 'mcp'],
      }),
    })
    expect({ ...rest, [client.section]: { other: { command: 'x' } } }).toEqual(parse(client, text))
    for (const comment of text.matchAll(/(?:\/\/|#).*$/gmu)) expect(installed).toContain(comment[0])
    expect(statSync(file).mode & 0o777).toBe(0o640)
    // Before a change, what was there is copied beside it.
    const copies = readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.daybook-`))
    expect(copies).toEqual([expect.stringMatching(/\.daybook-\d{8}T\d{6}Z\.bak$/u)])
    expect(readFileSync(join(dirname(file), copies[0] ?? ''), 'utf8')).toBe(text)

    utimesSync(file, 1, 1)
    expect(await add(wanted(client, { scope }))).toMatchObject({
      outcome: 'unchanged',
      backup: null,
      diff: null,
    })
    expect(statSync(file).mtimeMs).toBe(1_000)

    expect(await uninstall(wanted(client, { scope }))).toMatchObject({ outcome: 'removed' })
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(readdirSync(dirname(file)).filter((name) => name.includes('daybook'))).toEqual([])
    expect(await uninstall(wanted(client, { scope }))).toMatchObject({ outcome: 'absent' })
  },
)

test.each(EACH)('%s (%s): a file that was made for Daybook goes with it', async (_, scope, client) => {
  const file = client.files[scope]?.(place) ?? ''
  const { snippet } = await add(wanted(client, { scope }))
  expect(readFileSync(file, 'utf8')).toBe(snippet)
  expect(statSync(file).mode & 0o777).toBe(scope === 'user' ? 0o600 : 0o644)
  await uninstall(wanted(client, { scope }))
  expect(existsSync(file)).toBe(false)
  // Nor does a folder or a copy stay.
  expect(
    readdirSync(place.home, { recursive: true }).filter((path) => String(path).includes('daybook')),
  ).toEqual([])
  expect(readdirSync(place.folder)).toEqual([])
})

test.each(MCP_CLIENTS.map((client) => [client.id, client] as const))(
  '%s: a broken file is left as it is, and the error names it',
  async (_, client) => {
    const file = fileOf(client, 'user', client.format === 'json' ? '{\n  "a": \n' : 'a = [\n')
    const before = readFileSync(file)
    await expect(add(wanted(client))).rejects.toMatchObject({
      code: 'CONFIG_UNREADABLE',
      message: expect.stringContaining(file),
    })
    await expect(uninstall(wanted(client))).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' })
    expect(readFileSync(file)).toEqual(before)
    expect(readdirSync(dirname(file)).filter((name) => name.includes('daybook-'))).toEqual([])
  },
)

test.each(MCP_CLIENTS.flatMap((client) => (client.reference === null ? [] : [[client.id, client] as const])))(
  '%s: over HTTP the address names the tools, and is known again as ours',
  async (_, client) => {
    const http = (...toolsets: string[]) =>
      add(wanted(client), { http: true, url: 'http://127.0.0.1:4000', toolsets })
    expect(await http('core', 'ops')).toMatchObject({
      outcome: 'added',
      snippet: expect.stringContaining('/mcp?toolsets=core,ops"'),
    })
    expect(await http('all')).toMatchObject({
      outcome: 'updated',
      snippet: expect.stringContaining('/mcp?toolsets=all"'),
    })
    expect(await uninstall(wanted(client))).toMatchObject({ outcome: 'removed' })
  },
)

test('no key is written: neither ours, nor one from the environment', async () => {
  mkdirSync(join(place.home, '.daybook'))
  writeFileSync(join(place.home, '.daybook', 'api-key'), 'dbk_secret_secret_secret')
  const told = { ...place, environment: { DAYBOOK_API_KEY: 'dbk_secret_secret_secret' } }
  const refused: string[] = []
  for (const client of MCP_CLIENTS)
    for (const options of [
      {},
      { http: true, url: 'http://127.0.0.1:4000' },
      { url: 'https://memory.example.com' },
    ]) {
      const done = await add(wanted(client, { place: told }), options).catch((error: unknown) => error)
      const { code } = done as { readonly code?: string }
      if (code !== undefined) {
        refused.push(`${client.id} ${code}`)
        continue
      }
      const written = readFileSync(fileOf(client), 'utf8')
      expect(written).not.toContain('dbk_')
      expect(written.includes('DAYBOOK_API_KEY')).toBe(Object.keys(options).length > 0)
    }
  // Those that cannot name a variable are told how to do without.
  expect(refused).toEqual([
    'claude-desktop NOT_SUPPORTED',
    'claude-desktop NOT_SUPPORTED',
    'zed NOT_SUPPORTED',
    'zed NOT_SUPPORTED',
  ])
})

test('a dry run writes nothing, and its diff shows no secret of other servers', async () => {
  const file = fileOf(
    clientOf('cursor'),
    'user',
    '{\n  "mcpServers": {\n    "github": {\n      "env": { "GITHUB_TOKEN": "ghp_0123456789012345678901234567890123" }\n    }\n  }\n}\n',
  )
  const before = readFileSync(file)
  const { outcome, diff } = await add(wanted(clientOf('cursor'), { dryRun: true }))
  expect(outcome).toBe('added')
  expect(diff).toContain('+    "daybook": {')
  expect(diff).toContain('GITHUB_TOKEN')
  expect(diff).not.toContain('ghp_')
  expect(readFileSync(file)).toEqual(before)
  expect(readdirSync(dirname(file))).toEqual([basename(file)])
  await add(wanted(clientOf('windsurf'), { dryRun: true }))
  expect(existsSync(join(place.home, '.codeium'))).toBe(false)
})

test('what another program writes meanwhile is kept', async () => {
  const client = clientOf('cursor')
  const file = fileOf(client, 'user', '{ "a": 1 }\n')
  let looks = 0
  const change = await changeConfig(file, (text) => {
    looks += 1
    // As a client that saves its own settings between our reading and our writing.
    if (looks === 1) writeFileSync(file, '{ "a": 2 }\n')
    return text?.replace(' }', ', "ours": true }') ?? null
  })
  expect(looks).toBe(2)
  expect(readFileSync(file, 'utf8')).toBe('{ "a": 2, "ours": true }\n')
  expect(readFileSync(change.backup ?? '', 'utf8')).toBe('{ "a": 2 }\n')

  await expect(
    changeConfig(file, () => {
      writeFileSync(file, `{ "a": ${(looks += 1)} }\n`)
      return '{}'
    }),
  ).rejects.toMatchObject({ code: 'CONFIG_BUSY' })
  expect(readFileSync(file, 'utf8')).toBe(`{ "a": ${looks} }\n`)
  expect(readdirSync(dirname(file))).toHaveLength(2)
})

test('installations side by side all arrive', async () => {
  const client = clientOf('gemini')
  const names = ['a', 'b', 'c', 'd']
  await Promise.all(names.map((name) => add(wanted(client, { name }))))
  expect(
    Object.keys(parse(client, readFileSync(fileOf(client), 'utf8'))['mcpServers'] ?? {}).toSorted(),
  ).toEqual(names)
})

test('a file behind a symbolic link changes there, and the link stays', async () => {
  const client = clientOf('zed')
  const target = join(place.home, 'dotfiles.json')
  writeFileSync(target, '{}\n')
  const link = fileOf(client)
  symlinkSync(target, link)
  await add(wanted(client))
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readFileSync(target, 'utf8')).toContain('daybook')
  await uninstall(wanted(client))
  expect(readFileSync(target, 'utf8')).toBe('{}\n')
})

test('after many updates the uninstallation still finds what was there, and leaves no copies', async () => {
  const client = clientOf('gemini')
  const file = fileOf(client, 'user', '{}\n')
  for (const toolset of ['core', 'ops', 'core', 'ops', 'core', 'ops', 'core'])
    await add(wanted(client), { toolsets: [toolset] })
  expect(readdirSync(dirname(file))).toHaveLength(1 + 7)
  await uninstall(wanted(client))
  expect(readFileSync(file, 'utf8')).toBe('{}\n')
  expect(readdirSync(dirname(file))).toHaveLength(1)
})

test('a byte order mark stays', async () => {
  const client = clientOf('vscode')
  const file = fileOf(client, 'user', '\uFEFF{\n}\n')
  await add(wanted(client))
  expect(readFileSync(file, 'utf8').startsWith('\uFEFF{')).toBe(true)
  await uninstall(wanted(client))
  expect(readFileSync(file, 'utf8')).toBe('\uFEFF{\n}\n')
})

test('a later change of the user survives the uninstallation', async () => {
  const client = clientOf('claude-code')
  const file = fileOf(client, 'user', '{\n  "theme": "dark"\n}\n')
  await add(wanted(client))
  writeFileSync(file, readFileSync(file, 'utf8').replace('dark', 'light'))
  await uninstall(wanted(client))
  expect(readFileSync(file, 'utf8')).toBe('{\n  "theme": "light"\n}\n')
})

test('other options update the entry; fields that the user added to it stay', async () => {
  for (const client of [clientOf('cline'), clientOf('codex')]) {
    const text = BUSY[client.format](client.section)
    const file = fileOf(client, 'user', text)
    await add(wanted(client))
    const current = readFileSync(file, 'utf8')
    const added = client.format === 'json' ? /("command": "\/opt\/node",)/u : /(command = "\/opt\/node")/u
    const extra = client.format === 'json' ? '$1 "disabled": true,' : '$1\nenabled = false'
    writeFileSync(file, current.replace(added, extra))
    expect(await add(wanted(client), { toolsets: ['core', 'people'] })).toMatchObject({ outcome: 'updated' })
    const entry = parse(client, readFileSync(file, 'utf8'))[client.section]?.['daybook']
    expect(entry).toMatchObject({
      ...(client.format === 'json' ? { disabled: true } : { enabled: false }),
      args: ['/opt/daybook/bin/daybook.mjs', 'mcp', '--toolsets', 'core,people'],
    })
    await uninstall(wanted(client))
    expect(readFileSync(file, 'utf8')).toBe(text)
  }
})

test('a server of the same name is not replaced, unless with --force, and comes back', async () => {
  const client = clientOf('cursor')
  const text = '{\n  "mcpServers": {\n    "daybook": { "command": "other-daybook-tool" }\n  }\n}\n'
  const file = fileOf(client, 'user', text)
  await expect(add(wanted(client))).rejects.toMatchObject({ code: 'ENTRY_TAKEN' })
  await expect(uninstall(wanted(client))).rejects.toMatchObject({ code: 'ENTRY_TAKEN' })
  expect(readFileSync(file, 'utf8')).toBe(text)
  expect(await add(wanted(client, { force: true }))).toMatchObject({ outcome: 'updated' })
  await uninstall(wanted(client))
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a scope that the client lacks, and a folder that may not be written, are said', async () => {
  await expect(add(wanted(clientOf('windsurf'), { scope: 'project' }))).rejects.toMatchObject({
    code: 'NO_SUCH_SCOPE',
  })
  // The superuser may write everywhere.
  if (process.getuid?.() === 0) return
  const file = fileOf(clientOf('cursor'), 'user', '{}')
  chmodSync(dirname(file), 0o500)
  await expect(add(wanted(clientOf('cursor')))).rejects.toMatchObject({ code: 'CONFIG_ACCESS' })
  chmodSync(dirname(file), 0o700)
})
