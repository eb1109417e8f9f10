import { parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { jsonFormat } from './json-format.ts'

const PLACE = { section: 'mcpServers', name: 'daybook' }
const ENTRY = { command: '/opt/node', args: ['/opt/daybook/bin/daybook.mjs', 'mcp'] }

/** Texts that people and programs write. */
const TEXTS = {
  'nothing but the object': '{}\n',
  'an object over two lines': '{\n}\n',
  'other settings': '{\n  "theme": "dark",\n  "list": [1, 2]\n}\n',
  'no line end at the end': '{\n  "theme": "dark"\n}',
  'another server': '{\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  }\n}\n',
  'a section that is empty': '{\n  "mcpServers": {},\n  "theme": "dark"\n}\n',
  comments:
    '// mine\n{\n  // the look\n  "theme": "dark" /* not light */ // really\n  // the end\n}\n// after\n',
  'trailing commas': '{\n  "mcpServers": {\n    "other": { "command": "x", }, // old\n  },\n}\n',
  tabs: '{\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n',
  'four blanks': '{\n    "mcpServers": {\n        "other": {}\n    }\n}\n',
  'lines of Windows': '{\r\n  "theme": "dark"\r\n}\r\n',
  'one line': '{"mcpServers":{"other":{"command":"x"}},"theme":"dark"}',
  'one line with blanks': '{ "theme": "dark" }\n',
  'braces in strings': '{\n  "theme": "} // no, {\\" end",\n  "x": "," \n}\n',
}

test.each(Object.entries(TEXTS))('adds an entry and takes it out again: %s', (_, text) => {
  const result = jsonFormat.set(text, PLACE, ENTRY)
  const servers = { ...parse(text).mcpServers, daybook: ENTRY }
  expect(parse(result)).toEqual({ ...parse(text), mcpServers: servers })
  // What was there is there still, in the same order.
  const bare = (one: string) => one.replaceAll(/[\s,]/gu, '')
  for (const line of text
    .split('\n')
    .map(bare)
    .filter((one) => !one.includes('{}') && !/^\{.*\}$/u.test(one)))
    expect(bare(result)).toContain(line)
  if (text.includes('\r\n')) expect(result.replaceAll('\r\n', '')).not.toContain('\n')
  const hadSection = text.includes('mcpServers')
  expect(jsonFormat.remove(result, PLACE, !hadSection)).toBe(
    // An object that closes on the line it opens on is as empty.
    text === TEXTS['an object over two lines'] ? '{}\n' : text,
  )
})

test('writes an entry like the text around it', () => {
  expect(jsonFormat.set(TEXTS['comments'], PLACE, { command: 'x' })).toBe(`// mine
{
  // the look
  "theme": "dark", /* not light */ // really
  "mcpServers": {
    "daybook": {
      "command": "x"
    }
  }
  // the end
}
// after
`)
})

test('replaces an entry in its place', () => {
  const text = '{\n  "mcpServers": {\n    "daybook": { "command": "old" }, // ours\n    "other": {}\n  }\n}\n'
  expect(jsonFormat.set(text, PLACE, { command: 'new' })).toBe(
    '{\n  "mcpServers": {\n    "daybook": {\n      "command": "new"\n    }, // ours\n    "other": {}\n  }\n}\n',
  )
})

test('takes out the first, the middle and the only entry', () => {
  const of = (...names: string[]) =>
    `{\n  "mcpServers": {\n${names.map((name) => `    "${name}": {}`).join(',\n')}\n  }\n}\n`
  expect(jsonFormat.remove(of('daybook', 'b'), PLACE, true)).toBe(of('b'))
  expect(jsonFormat.remove(of('a', 'daybook', 'b'), PLACE, true)).toBe(of('a', 'b'))
  expect(jsonFormat.remove(of('a', 'daybook'), PLACE, true)).toBe(of('a'))
  expect(jsonFormat.remove(of('daybook'), PLACE, true)).toBe('{}\n')
  expect(jsonFormat.remove(of('daybook'), PLACE, false)).toBe('{\n  "mcpServers": {}\n}\n')
})

test('says where a text cannot be read', () => {
  expect(() => jsonFormat.parse('{\n  "a": 1\n  "b": 2\n}')).toThrow('line 3: CommaExpected')
  expect(() => jsonFormat.parse('[]')).toThrow('it is not an object')
  expect(jsonFormat.parse(' \n')).toEqual({})
})
