import { describe, expect, it } from 'vitest'
import { isUnheard, namesStranger, sessionShares } from './sessions.ts'

describe('sessionShares', () => {
  const hit = (memoryId: string, score: number) => ({ memoryId, score, retrievers: [] })
  const [a, b, c, lone] = [hit('a', 0.5), hit('b', 0.8), hit('c', 0.8), hit('lone', 0.4)]
  const contexts: Record<string, string> = { a: 'one', b: 'one', c: 'one' }
  const within = (context: string) => ({ memoryId: 'any', context, before: [], after: [] })
  const shareOf = sessionShares([a, c, b, lone], (id) => contexts[id], 0.5)

  it('gives every hit of a session a share of its best, equals by id', () => {
    expect(shareOf(a, within('one'))).toEqual({ memoryId: 'b', contribution: 0.4 })
    expect(shareOf(b, within('one'))).toEqual({ memoryId: 'b', contribution: 0.4 })
  })

  it('takes a memory without a context, or alone in one, for its own session', () => {
    expect(shareOf(lone, null)).toEqual({ memoryId: 'lone', contribution: 0.2 })
    expect(shareOf(lone, within('other'))).toEqual({ memoryId: 'lone', contribution: 0.2 })
  })
})

const UNKNOWN = new Set(['caroline', 'jose', 'toyota', 'when', 'emma'])

const stranger = (question: string) => namesStranger(question, (word) => UNKNOWN.has(word))

describe('namesStranger', () => {
  it.each([
    'When did Caroline move?',
    "What is Caroline's job?",
    'Did Ann meet Caroline?',
    'Where does José live?',
    'what does the Toyota cost',
  ])('%j does', (question) => {
    expect(stranger(question)).toBe(true)
  })

  it.each([
    'When did Ann move?',
    'Caroline moved',
    'Nothing. When was that?',
    'the book "Emma"',
    'what did caroline say',
    'the CAROLINE server',
    'CarolineApi timeouts',
    '',
  ])('%j does not', (question) => {
    expect(stranger(question)).toBe(false)
  })
})

describe('isUnheard', () => {
  const unheard = (words: string, frequencies: Record<string, number>) =>
    isUnheard(words.split(' '), new Map(Object.entries(frequencies)))

  it('holds where every word is spelled, and none is in a memory', () => {
    expect(unheard('what zorb zorb zorb', { zorb: 0 })).toBe(true)
    expect(unheard('zorb zorb zorb', { zorb: 1 })).toBe(false)
    expect(unheard('zorb zorb zorb feline feline', { zorb: 0, feline: 0 })).toBe(false)
    expect(unheard('what', {})).toBe(false)
  })
})
