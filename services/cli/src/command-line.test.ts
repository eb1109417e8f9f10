import { PassThrough } from 'node:stream'
import { parseMoment, parseSince } from '@daybook/runtime/units'
import { expect, test } from 'vitest'
import { confirm } from './command-line.ts'

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

test.each([
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-11-21T09:30:00Z', '2026-11-21T09:30:00.000Z'],
  ['2026-11-21T09:30:00+02:00', '2026-11-21T07:30:00.000Z'],
])('%s is %s', (given, moment) => expect(parseMoment(given)).toBe(moment))

test.each([
  '2024-02-30',
  '2023-02-29',
  '2026-04-31T10:00:00Z',
  '2026-13-01',
  '21.11.2026',
  'tomorrow',
  '2026',
  '',
])('"%s" is none', (given) => expect(parseMoment(given)).toBeNull())

test.each([
  ['90s', '2026-11-21T09:58:30.000Z'],
  ['2h', '2026-11-21T08:00:00.000Z'],
  ['7d', '2026-11-14T10:00:00.000Z'],
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
])('since %s is since %s', (given, moment) =>
  expect(parseSince(given, Date.parse('2026-11-21T10:00:00Z'))).toBe(moment),
)

test.each(['1', 'tomorrow', '-1h', '1.5h'])('since "%s" says nothing', (given) =>
  expect(parseSince(given, 0)).toBeNull(),
)
