import { readFileSync } from 'node:fs'
import type { KindName } from '@daybook/memory/kinds/index'
import type { Content, MemoryState } from '@daybook/memory/state'
import { noteState } from '@daybook/memory/testing/note-state'
import { describe, expect, it, test } from 'vitest'
import { suspect } from './suspect.ts'

/** A pair that was written for this test, with the cosine of MiniLM. Rules were looked for on one half only. */
interface KnownPair {
  readonly half: 'tuned' | 'held back'
  readonly expected: 'DUPLICATE' | 'REPLACED' | 'CONTRADICTS' | null
  readonly kind: KindName
  readonly older: Content
  readonly newer: Content
  readonly cosine: number
}

const PAIRS = readFileSync(new URL('testing/pairs.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as KnownPair)

const of = (kind: KindName, content: Content, day = 1, more: Partial<MemoryState> = {}): MemoryState =>
  noteState({ kind, content, createdAt: `2026-05-0${day}T00:00:00.000Z`, ...more })
const note = (text: string, day = 1, more: Partial<MemoryState> = {}) => of('note', { text }, day, more)
const notes = (older: string, newer: string, cosine: number | null = 0.8) =>
  suspect(note(older), note(newer, 2), cosine)

describe('suspected pairs (docs/measurements.md#suspected-pairs)', () => {
  test.each([
    ['tuned', 0.98, 0.98],
    ['held back', 0.92, 0.93],
  ] as const)('of the half that is %s, precision is %f and recall %f', (half, precision, recall) => {
    const judged = PAIRS.filter((pair) => pair.half === half).map(
      ({ expected, kind, older, newer, cosine }) => ({
        expected,
        found: suspect(of(kind, older), of(kind, newer, 2), cosine)?.kind.toUpperCase() ?? null,
      }),
    )
    const right = judged.filter(({ expected, found }) => expected !== null && found !== null).length
    expect(right / judged.filter(({ found }) => found !== null).length).toBeGreaterThanOrEqual(precision)
    expect(right / judged.filter(({ expected }) => expected !== null).length).toBeGreaterThanOrEqual(recall)
  })

  it('say which words differ, as they are written', () => {
    expect(notes('The API listens on port 8080.', 'The API listens on port 8443!')).toEqual({
      kind: 'contradicts',
      differences: [{ older: '8080', newer: '8443' }],
    })
    expect(notes('We use Jest for unit tests.', 'We use Vitest for unit tests.')).toEqual({
      kind: 'replaced',
      differences: [{ older: 'Jest', newer: 'Vitest' }],
    })
    expect(notes('The parser is thread-safe.', "The parser isn't thread-safe.")).toEqual({
      kind: 'contradicts',
      differences: [{ older: '', newer: 'not' }],
    })
  })

  it('are not replaced at one time', () => {
    const [older, newer] = [note('We use Jest for unit tests.'), note('We use Vitest for unit tests.')]
    expect(suspect(older, newer, 0.8)?.kind).toBe('contradicts')
    const happened = { occurredAt: '2026-04-01T00:00:00.000Z' }
    expect(suspect({ ...older, ...happened }, newer, 0.8)?.kind).toBe('replaced')
  })

  it('are about one context, and never two parts of documents', () => {
    const text = 'The API listens on port 8080.'
    expect(suspect(note(text, 1, { context: 'a' }), note(text, 2, { context: 'b' }), 1)).toBeNull()
    expect(suspect(note(text, 1, { context: 'a' }), note(text, 2, { context: 'a' }), 1)?.kind).toBe(
      'duplicate',
    )
    const part = { document: 'd', number: 2 }
    expect(suspect(note(text, 1, { part }), note(text, 2, { part }), 1)).toBeNull()
  })

  it('of what happened or is to be done are duplicates only', () => {
    const todo = (n: number, day: number) => of('todo', { description: `Order ${n} chairs` }, day)
    expect(suspect(todo(5, 1), todo(6, 2), 0.95)).toBeNull()
    expect(suspect(todo(5, 1), todo(5, 2), 1)?.kind).toBe('duplicate')
    const error = of('error', { message: 'Order 5 chairs' })
    expect(suspect(error, todo(5, 2), 1)).toBeNull()
  })

  it('may be of two kinds that say how things are', () => {
    const fact = of('fact', { summary: 'The API listens on port 8443.' }, 2)
    expect(suspect(note('The API listens on port 8080.'), fact, 0.95)?.kind).toBe('contradicts')
  })

  it('of entities are about one name', () => {
    const entity = (name: string, content: string) => of('entity', { name, type: 'service', content })
    expect(
      suspect(entity('cart', 'It has 2 replicas.'), entity('mail', 'It has 2 replicas.'), 0.9),
    ).toBeNull()
  })

  it('of the same words are the same without vectors, and never of none', () => {
    expect(notes('WIR TREFFEN uns im Café!', 'wir treffen uns im cafe', null)?.kind).toBe('duplicate')
    expect(notes('🎉', '🎈', 0.99)).toBeNull()
    expect(notes('🎉', '🎉', null)?.kind).toBe('duplicate')
  })

  it('of long texts are the same to the letter', () => {
    const long = 'The release train leaves every second Tuesday. '.repeat(100)
    expect(notes(long, long, 1)?.kind).toBe('duplicate')
    expect(notes(long, `${long} Not any more.`, 0.99)).toBeNull()
  })

  it('are compared to the end, however hostile the words are', () => {
    const words = (from: number) =>
      Array.from({ length: 400 }, (_, i) => `x${from + i}`)
        .join(' ')
        .slice(0, 2_000)
    // In quadratic time these take a moment; in exponential time no machine comes to their end.
    for (let i = 1; i < 20; i++) expect(notes(words(0), words(i * 7), 0.99)?.kind).not.toBe('duplicate')
  })
})
