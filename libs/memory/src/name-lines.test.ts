import { describe, expect, test } from 'vitest'
import { interestName, personName } from './name-lines.ts'
import { noteState } from './testing/note-state.ts'

const note = (text: string) => noteState({ content: { text } })

describe('names of people and interests (capability 14)', () => {
  test.each([
    ['name: Ada Lovelace\nfrom the climbing hall', 'Ada Lovelace'],
    ['A friend\nFull Name :  Ada\t Lovelace ', 'Ada Lovelace'],
    ['name:\nNAME: Grace: the Admiral', 'Grace: the Admiral'],
    ['username: ada\nKeeps bees', 'username: ada Keeps bees'],
    [
      'Ada keeps bees, climbs twice a week and writes programs',
      'Ada keeps bees, climbs twice a week and writes pr…',
    ],
    ['name: \u001B[31mEve\u001B[0m', 'Eve'],
  ])('%j is about %s', (text, name) => expect(personName(note(text))).toBe(name))

  test('an entity of the type person has its own name', () => {
    expect(
      personName(noteState({ kind: 'entity', content: { name: 'Ada', type: 'Person', content: 'name: x' } })),
    ).toBe('Ada')
  })

  test.each([
    ['interest: bouldering', 'bouldering'],
    ['On Sundays\nHobby: bees', 'bees'],
    ['Likes name: tags', 'Likes name: tags'],
  ])('%j is the interest %s', (text, name) => expect(interestName(note(text))).toBe(name))
})
