import { noteState } from '@daybook/memory/testing/note-state'
import { describe, expect, test } from 'vitest'
import { mentions, wordsOfName } from './mentions.ts'

const mentioned = (name: string, text: string) =>
  mentions(wordsOfName(name))(noteState({ content: { text } }))

describe('whether a memory names somebody (capability 15)', () => {
  test.each([
    ['Ann', 'ANN: hello'],
    ['Ann', "That is Ann's book"],
    ['jose', 'José came'],
    ['JOSÉ', 'Jose\u0301 came'],
    ['Ada Lovelace', 'Ada\n Lovelace'],
    ['Jean-Luc', 'with Jean Luc'],
    ['田中', '昨日田中さんと話した'],
    ['O’Brien', "Pat O'Brien"],
  ])('%s is in %j', (name, text) => expect(mentioned(name, text)).toBe(true))

  test.each([
    ['Ann', 'Anna and Joann'],
    ['Ann', 'the snake_ann variable'],
    ['Ada Lovelace', 'Ada met Byron and Lovelace'],
    ['Jos', 'José came'],
  ])('%s is not in %j', (name, text) => expect(mentioned(name, text)).toBe(false))
})
