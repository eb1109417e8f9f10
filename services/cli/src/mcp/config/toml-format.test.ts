import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { edited } from './config-file.ts'
import { tomlFormat } from './toml-format.ts'

const PLACE = { section: 'mcp_servers', name: 'daybook' }
const ENTRY = {
  command: '/opt/node',
  args: ['/opt/daybook/bin/daybook.mjs', 'mcp'],
  env_vars: ['DAYBOOK_API_KEY'],
}

const TEXTS = {
  'settings with comments': '# mine\nmodel = "gpt-5" # the good one\n\n[features]\nweb = true\n',
  'another server': '[mcp_servers.other]\ncommand = "x"\n\n[mcp_servers.other.env]\nA = "b"\n# the end\n',
  'a multi-line string that looks like our table': 'text = """\n[mcp_servers.daybook]\n"""\n',
  'lines of Windows': 'model = "a"\r\n\r\n[features]\r\nweb = true\r\n',
}

test.each(Object.entries(TEXTS))('adds a table and takes it out again: %s', (_, text) => {
  const place = text.includes('"""') ? { ...PLACE, name: 'daybook-2' } : PLACE
  const result = tomlFormat.set(text, place, ENTRY)
  expect(result.startsWith(text)).toBe(true)
  const before = parse(text)
  expect(parse(result)).toEqual({
    ...before,
    mcp_servers: { ...(before['mcp_servers'] as object), [place.name]: ENTRY },
  })
  if (text.includes('\r\n')) expect(result.replaceAll('\r\n', '')).not.toContain('\n')
  expect(tomlFormat.remove(result, place, true)).toBe(text)
})

test('replaces a table with the tables below it, and leaves the comment of the next one', () => {
  const text =
    'a = 1\n[ mcp_servers . "daybook" ] # ours\ncommand = "old"\n[mcp_servers.daybook.env]\nX = "1"\n\n# next\n[b]\nc = 2\n'
  expect(tomlFormat.set(text, PLACE, { command: 'new' })).toBe(
    'a = 1\n[mcp_servers.daybook]\ncommand = "new"\n\n# next\n[b]\nc = 2\n',
  )
})

test.each([
  ['an inline table', 'mcp_servers = { other = { command = "x" } }\n'],
  ['dotted keys', '[mcp_servers]\ndaybook.command = "x"\n'],
  ['a header inside of a string', TEXTS['a multi-line string that looks like our table']],
])('refuses what it does not know, rather than breaking it: %s', (_, text) => {
  expect(() => edited(tomlFormat, PLACE, text, ENTRY)).toThrow(/would|redefine|extend|Invalid/u)
})

test('says where a text cannot be read', () => {
  expect(() => tomlFormat.parse('a = 1\nb = \n')).toThrow(/^line 2: /u)
})
