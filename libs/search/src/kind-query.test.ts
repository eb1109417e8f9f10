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
  ])('%j names a kind', (query, kind, state) => {
    expect(kindQuery(query)).toEqual({ kind, state })
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

  it('knows every kind', () => {
    expect(KIND_NAMES.map((kind) => kindQuery(kind)?.kind)).toEqual(KIND_NAMES)
  })
})
