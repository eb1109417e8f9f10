import { describe, expect, it } from 'vitest'
import { isUnheard, namesStranger } from './strangers.ts'

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
