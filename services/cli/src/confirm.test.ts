import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { confirm } from './confirm.ts'

function terminal({ isTTY = true } = {}) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = Object.assign(new PassThrough(), { isTTY })
  return { input, output, typed: (text: string) => void input.write(text) }
}

test('yes is yes, anything else is no', async () => {
  for (const answer of ['y', 'YES', ' yes ']) {
    const at = terminal()
    const asked = confirm('Delete it?', false, at)
    at.typed(`${answer}\n`)
    await expect(asked).resolves.toBeUndefined()
    expect(String(at.output.read())).toContain('Delete it? [y/N]')
  }
  for (const answer of ['', 'n', 'yesterday', 'j']) {
    const at = terminal()
    const asked = confirm('Delete it?', false, at)
    at.typed(`${answer}\n`)
    await expect(asked).rejects.toMatchObject({ code: 'NOT_CONFIRMED', exitCode: 1 })
  }
})

test('no answer is no', async () => {
  const at = terminal()
  const asked = confirm('Delete it?', false, at)
  at.input.end()
  await expect(asked).rejects.toMatchObject({ code: 'NOT_CONFIRMED' })
})

test('without a terminal it has to be said beforehand', async () => {
  const at = terminal({ isTTY: false })
  await expect(confirm('Delete it?', false, at)).rejects.toMatchObject({
    code: 'USAGE',
    hints: [expect.stringContaining('--yes')],
  })
  await expect(confirm('Delete it?', true, at)).resolves.toBeUndefined()
  expect(at.output.read()).toBeNull()
})
