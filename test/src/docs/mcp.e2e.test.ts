import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MCP_CLIENTS } from '@daybook/cli/mcp/clients'
import { parse as parseToml } from 'smol-toml'
import { beforeAll, expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { REPOSITORY } from '../support/daemon.ts'

/* Compares docs/mcp.md with what the real binary (node:child_process, in run-cli.ts) prints. */

const page = readFileSync(join(REPOSITORY, 'docs/mcp.md'), 'utf8')
/** The sections of the programs by their titles. */
const programs = new Map(
  page
    .split(/^(?=##)/mu)
    .filter((text) => text.startsWith('### '))
    .map((text) => [text.slice(4, text.indexOf('\n')), text] as const),
)

type Printed = Readonly<Record<string, { readonly snippet: string; readonly reload: string }>>

async function printed(...options: string[]): Promise<Printed> {
  const ids = MCP_CLIENTS.map(({ id }) => id).join(',')
  const { stdout } = await runCli(['mcp', 'install', '--client', ids, '--dry-run', '--json', ...options], {
    HOME: '/nowhere',
    XDG_CONFIG_HOME: '/nowhere/.config',
  })
  const { outcomes } = JSON.parse(stdout) as {
    outcomes: { client: string; snippet: string; reload: string }[]
  }
  return Object.fromEntries(outcomes.map(({ client, ...rest }) => [client, rest]))
}

/** An entry as the page shows it: its paths are of no machine. */
function asShown(text: string): unknown {
  const value = JSON.parse(
    JSON.stringify(text.startsWith('{') ? JSON.parse(text) : parseToml(text)),
  ) as Record<string, Record<string, { command?: string; args?: string[] }>>
  for (const { daybook } of Object.values(value))
    if (daybook?.args?.[0]?.endsWith('daybook.mjs') === true) {
      daybook.args = ['/path/to/daybook.mjs', ...daybook.args.slice(1)]
      daybook.command = '/path/to/node'
    }
  return value
}

let stdio: Printed
let http: Printed
beforeAll(async () => {
  ;[stdio, http] = await Promise.all([printed(), printed('--http', '--url', 'http://127.0.0.1:4000')])
})

test('has a section for each program, and no other', () => {
  expect([...programs.keys()]).toEqual(MCP_CLIENTS.map(({ title }) => title))
})

test.each(MCP_CLIENTS.map((client) => [client.title, client] as const))(
  '%s is told what `daybook mcp install` writes',
  (title, { id, reference }) => {
    const section = programs.get(title) ?? ''
    const blocks = [...section.matchAll(/^```(?:json|toml)\n(?<code>[^]*?)^```$/gmu)].map((found) =>
      asShown(found.groups?.['code'] ?? ''),
    )
    const wanted = [stdio[id], ...(reference === null ? [] : [http[id]])]
    expect(blocks).toEqual(wanted.map((one) => asShown(one?.snippet ?? '')))
    expect(section).toContain(`\`--client ${id}\``)
    expect(section.replaceAll(/\s+/gu, ' ')).toContain(stdio[id]?.reload)
    expect(section.includes('No HTTP')).toBe(reference === null)
  },
)
