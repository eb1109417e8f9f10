import { KIND_NAMES } from '@daybook/memory/kinds/index'
import { describe, expect, it } from 'vitest'
import { kindQuery } from './kind-query.ts'

describe('kindQuery', () => {
  it.each([
    ['todo', 'todo', null],
    ['Open Todos', 'todo', 'open'],
    ['what are my open to-dos?', 'todo', 'open'],
    ['resolved todos', 'todo', 'done'],
    ['decisions', 'decision', null],
    ['show me the latest decisions', 'decision', null],
    ['entities', 'entity', null],
    ['stashes', 'stash', null],
    ['active sessions', 'session', 'open'],
    ['what do I have to do?', 'todo', 'open'],
    ['things to do', 'todo', 'open'],
    ['what is still to be done', 'todo', 'open'],
    ['people', 'entity', null],
  ])('%j names a kind', (query, kind, state) => {
    expect(kindQuery(query)).toEqual({ kind, state, called: null })
  })

  it.each([
    '',
    'todo list app',
    'open errors',
    'decision about the queue',
    'open',
    'todo note',
    'open closed todos',
  ])('%j does not', (query) => {
    expect(kindQuery(query)).toBeNull()
  })

  it.each([
    ['who is priya', 'priya'],
    ['Who is Priya Nair?', 'Priya Nair'],
    ['people Priya', 'Priya'],
    ['who’s O’Brien', 'O’Brien'],
  ])('%j asks for somebody', (query, called) => {
    expect(kindQuery(query)).toEqual({ kind: 'entity', state: null, called })
  })

  it.each([
    ['what happened last week', 'last week', null, null],
    ['what was noted on the 8th of October', '8th of October', null, null],
    ['2026-11-17', '2026-11-17', null, null],
    ['decisions in May', 'May', 'decision', null],
    ['things to do before december', 'december', 'todo', 'open'],
  ])('%j asks for what is of a time', (query, phrase, kind, state) => {
    expect(kindQuery(query, [phrase])).toEqual({ kind, state, called: null })
  })

  it.each([
    ['what did we find out about the boiler last week', 'last week'],
    ['what does Ann do on 8 May', '8 May'],
    ['who reviews migrations', ''],
  ])('%j asks for more', (query, phrase) => {
    expect(kindQuery(query, phrase === '' ? [] : [phrase])).toBeNull()
  })

  it('knows every kind', () => {
    expect(KIND_NAMES.map((kind) => kindQuery(kind)?.kind)).toEqual(KIND_NAMES)
  })
})
