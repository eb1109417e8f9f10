import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readHomeKey } from './promote.ts'

const KEY = 'dbk_0123456789abcdefghijklmnopqrstuvwxyz'

function createTerminal(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = new PassThrough()
  let shown = ''
  output.on('data', (part: Buffer) => (shown += part.toString()))
  return { input, output, shown: () => shown }
}

test('a key that is given counts before the environment, and nothing is asked', async () => {
  const terminal = createTerminal(true)
  expect(await readHomeKey(KEY, { DAYBOOK_HOME_KEY: 'dbk_other' }, terminal)).toBe(KEY)
  expect(await readHomeKey(undefined, { DAYBOOK_HOME_KEY: ` ${KEY}\n` }, terminal)).toBe(KEY)
  expect(terminal.shown()).toBe('')
})

test('a terminal is asked, and shows nothing of the key', async () => {
  const terminal = createTerminal(true)
  const read = readHomeKey(undefined, {}, terminal)
  terminal.input.write(`${KEY}\r`)
  expect(await read).toBe(KEY)
  expect(terminal.shown()).toContain('The key of the home')
  expect(terminal.shown()).not.toContain(KEY.slice(0, 6))
})

test('without a terminal it comes from standard input', async () => {
  const terminal = createTerminal(false)
  terminal.input.end(`${KEY}\n`)
  expect(await readHomeKey(undefined, {}, terminal)).toBe(KEY)
  expect(terminal.shown()).toBe('')
})

test('no key, and what cannot be one, is refused with what to do', async () => {
  for (const text of ['', '\u0004', 'two words', 'schlüssel']) {
    const terminal = createTerminal(false)
    terminal.input.end(text)
    await expect(readHomeKey(undefined, {}, terminal)).rejects.toMatchObject({
      exitCode: 2,
      hints: [expect.stringContaining('daybook keys create'), expect.anything()],
    })
  }
  const left = createTerminal(true)
  const read = readHomeKey(undefined, {}, left)
  left.input.end()
  await expect(read).rejects.toMatchObject({ exitCode: 2 })
})
