import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createExportWatch } from './save-export.ts'

const BODY =
  '{"format":"daybook-journal","version":1}\n{"project":{"events":1,"name":"default"}}\n{"event":{"é":1}}\n'

const END = { events: 1, projects: 1, sha256: createHash('sha256').update(BODY).digest('hex') }

const WHOLE = `${BODY}${JSON.stringify({ end: END })}\n`

function watch(text: string, size = 7) {
  const watched = createExportWatch()
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += size) watched.add(bytes.subarray(start, start + size))
  return watched
}

test.each([1, 2, 7, 1_000])('an export that comes in chunks of %i bytes is whole', (size) => {
  const watched = watch(WHOLE, size)
  expect(watched.end()).toEqual(END)
  expect(watched.passed()).toEqual({ events: 1, project: { name: 'default', events: 1, of: 1 } })
})

test.each([
  ['nothing', ''],
  ['no end', BODY],
  ['half an end', WHOLE.slice(0, -10)],
  ['something else at the end', `${WHOLE}null\n`],
  ['another body', WHOLE.replace('é', 'e')],
])('%s is not whole', (_, text) => {
  expect(() => watch(text).end()).toThrow(/not complete/u)
})

test('Daybook’s own reason for breaking off is given', () => {
  const error = { code: 'CORRUPT_JOURNAL', message: 'event 2 was changed', retryable: false }
  expect(() => watch(`${BODY}${JSON.stringify({ error })}\n`).end()).toThrow('event 2 was changed')
})
