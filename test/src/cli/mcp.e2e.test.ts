import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

/* Each run starts the real binary (node:child_process, in run-cli.ts). */

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'daybook-home-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = (...args: string[]) => runCli(['mcp', ...args], { HOME: home, PATH: '/nowhere' })
const cursorFile = () => join(home, '.cursor', 'mcp.json')

test('installs where it is told, for several programs at once, and says what it did', async () => {
  const first = await run('install', '--client', 'cursor,codex', '--client', 'zed', '--toolsets', 'core,ops')
  expect(first).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`Cursor: added to ${cursorFile()}`),
  })
  const { args } = JSON.parse(readFileSync(cursorFile(), 'utf8')).mcpServers.daybook
  expect(args.slice(1)).toEqual(['mcp', '--toolsets', 'core,ops'])
  expect(existsSync(args[0])).toBe(true)
  expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toContain('[mcp_servers.daybook]')

  const { clients } = JSON.parse((await run('clients', '--json')).stdout)
  const configured = clients.flatMap(
    ({
      client,
      installed,
      configurations,
    }: {
      client: string
      installed: boolean
      configurations: { configured: boolean }[]
    }) => (configurations.some((one) => one.configured) ? [`${client} ${installed}`] : []),
  )
  expect(configured).toEqual(['cursor true', 'codex true', 'zed true'])

  const gone = JSON.parse((await run('uninstall', '--yes', '--json')).stdout)
  expect(gone.outcomes.map(({ client, outcome }: Record<string, string>) => `${client} ${outcome}`)).toEqual([
    'cursor removed',
    'codex removed',
    'zed removed',
  ])
  expect(existsSync(cursorFile())).toBe(false)
})

test('without --client it takes those that are here, but not without being told to', async () => {
  expect(await run('install')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('No program') })
  mkdirSync(join(home, '.gemini'))
  expect(await run('install')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Add Daybook to Gemini CLI? There is no terminal to ask on.'),
  })
  expect(await run('install', '--dry-run')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Gemini CLI: would be added to'),
  })
  expect(existsSync(join(home, '.gemini', 'settings.json'))).toBe(false)
  await run('install', '--yes', '--toolsets', 'core,people', '--toolsets', 'documents,files,ops')
  expect(JSON.parse(readFileSync(join(home, '.gemini', 'settings.json'), 'utf8'))).toMatchObject({
    mcpServers: { daybook: { args: [expect.anything(), 'mcp', '--toolsets', 'all'] } },
  })
  await run('install', '--yes')
  expect(readFileSync(join(home, '.gemini', 'settings.json'), 'utf8')).toContain('daybook')
})

test('one broken configuration keeps none of the others from being written', async () => {
  mkdirSync(join(home, '.cursor'))
  writeFileSync(cursorFile(), '{ "mcpServers": ')
  const { exitCode, stdout } = await run('install', '--client', 'cursor,windsurf', '--json')
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    outcomes: [{ client: 'windsurf', outcome: 'added' }],
    failures: [{ client: 'cursor', error: { code: 'CONFIG_UNREADABLE' } }],
  })
  expect(readFileSync(cursorFile(), 'utf8')).toBe('{ "mcpServers": ')
})

test('refuses what it does not know', async () => {
  for (const [args, said] of [
    [['install', '--client', 'emacs'], 'It may be claude-code'],
    [['install', '--client', 'cursor', '--name', 'a b'], 'It must be 1 to 64'],
    [['install', '--client', 'cursor', '--toolsets', 'core,everything'], 'choose among core, people'],
    [['install', '--client', 'cursor', '--scope', 'team'], 'Allowed choices are user, project'],
  ] as const)
    expect(await run(...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(said) })
})
