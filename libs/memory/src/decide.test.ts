import { describe, expect, it } from 'vitest'
import type { Command } from './commands.ts'
import { decide } from './decide.ts'
import { ConflictError, DaybookError, NotFoundError, ValidationError } from './errors.ts'
import type { NewEvent } from './events.ts'
import type { Memory, MemoryState } from './state.ts'
import { noteState } from './testing/note-state.ts'

const ID = '01920000-0000-7000-8000-000000000001'
const T1 = '2026-05-01T12:00:00.000Z'
const T2 = '2026-05-02T12:00:00.000Z'

const state = (over: Partial<MemoryState> = {}): MemoryState =>
  noteState({
    id: ID,
    kind: 'insight',
    content: { content: 'Water boils at 100 °C', key: 'water' },
    labels: ['physics'],
    createdAt: T1,
    updatedAt: T1,
    ...over,
  })

const memory = (over: Partial<MemoryState> = {}, version = 3): Memory => ({
  state: state(over),
  version,
  sequence: 10,
})

const on = (now: Memory | null, command: Command, earlier: MemoryState | null = null) =>
  decide(command, { memory: now, earlier, now: T2 })

function event(made: NewEvent | null): NewEvent {
  if (made === null) throw new Error('there was no event')
  return made
}

function failure(run: () => unknown): DaybookError {
  try {
    run()
  } catch (error) {
    if (error instanceof DaybookError) return error
    throw error
  }
  throw new Error('it did not fail')
}

describe('remembering', () => {
  const input = { content: { kind: 'insight', fields: { content: 'a' } } }

  it('makes version 1 with defaults, and names only the fields that hold something', () => {
    expect(event(on(null, { type: 'remember', id: ID, input }))).toEqual({
      memoryId: ID,
      version: 1,
      type: 'MemoryRemembered',
      data: {
        state: state({ content: { content: 'a' }, labels: [], createdAt: T2, updatedAt: T2 }),
        changed: ['content.content', 'importance'],
      },
    })
  })

  it('is a fault of ours where the id is taken', () => {
    expect(() => on(memory(), { type: 'remember', id: ID, input })).toThrow(/is taken/)
  })
})

describe('revising', () => {
  it('changes what is given, leaves the rest, and says what changed', () => {
    const made = event(
      on(memory({ agent: 'claude' }), {
        type: 'revise',
        id: ID,
        input: {
          content: { kind: 'insight', fields: { content: 'At sea level', key: null } },
          labels: ['physics', 'cooking'],
          importance: 9,
          agent: null,
        },
      }),
    )
    expect(made).toEqual({
      memoryId: ID,
      version: 4,
      type: 'MemoryRevised',
      given: ['content.content', 'content.key', 'agent', 'labels', 'importance'],
      data: {
        state: state({
          content: { content: 'At sea level' },
          labels: ['physics', 'cooking'],
          importance: 9,
          updatedAt: T2,
        }),
        changed: ['content.content', 'content.key', 'agent', 'labels', 'importance'],
      },
    })
  })

  it.each([
    ['nothing at all', {}],
    ['a content without fields', { content: { kind: 'insight', fields: {} } }],
    ['null as content', { content: null }],
    [
      'what is there already',
      { content: { kind: 'insight', fields: { key: 'water' } }, labels: ['physics', 'physics'], agent: ' ' },
    ],
  ])('is no event when it gives %s', (_, input) => {
    expect(on(memory(), { type: 'revise', id: ID, input })).toBeNull()
  })

  it('empties lists, metadata and importance back to their defaults with null', () => {
    const full = memory({ labels: ['a'], metadata: { a: 1 }, importance: 9, expiresAt: T2 })
    const { state: after } = event(
      on(full, {
        type: 'revise',
        id: ID,
        input: { labels: null, metadata: null, importance: null, expiresAt: null },
      }),
    ).data
    expect(after).toMatchObject({ labels: [], metadata: {}, importance: 5, expiresAt: null })
  })

  it('does not change the state that it was given', () => {
    const before = memory()
    const copy = structuredClone(before)
    on(before, { type: 'revise', id: ID, input: { content: { kind: 'insight', fields: { content: 'b' } } } })
    expect(before).toEqual(copy)
  })

  it('of a forgotten memory is a conflict that tells the version', () => {
    const error = failure(() =>
      on(memory({ forgottenAt: T1 }), { type: 'revise', id: ID, input: { importance: 1 } }),
    )
    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toMatchObject({ code: 'FORGOTTEN', currentVersion: 3 })
  })

  it('refuses bad fields by name', () => {
    const error = failure(() => on(memory(), { type: 'revise', id: ID, input: { importance: 11 } }))
    expect(error).toBeInstanceOf(ValidationError)
    expect(error).toMatchObject({ field: 'importance' })
  })
})

describe('forgetting', () => {
  it('keeps the state and says when', () => {
    const made = event(on(memory(), { type: 'forget', id: ID }))
    expect(made).toMatchObject({ type: 'MemoryForgotten', version: 4 })
    expect(made.data).toEqual({
      state: state({ forgottenAt: T2, updatedAt: T2 }),
      changed: ['forgottenAt'],
    })
  })

  it('what is forgotten is no event', () => {
    expect(on(memory({ forgottenAt: T1 }), { type: 'forget', id: ID })).toBeNull()
  })
})

describe('restoring', () => {
  it('brings a forgotten memory back as it was', () => {
    const made = event(on(memory({ forgottenAt: T1 }), { type: 'restore', id: ID }))
    expect(made).toMatchObject({ type: 'MemoryRestored', version: 4 })
    expect(made.data).toEqual({ state: state({ updatedAt: T2 }), changed: ['forgottenAt'] })
  })

  it('of a memory that is not forgotten needs a version', () => {
    const error = failure(() => on(memory(), { type: 'restore', id: ID }))
    expect(error).toMatchObject({ code: 'VALIDATION', field: 'version' })
    expect(error.message).toContain('1 to 3')
  })

  it('to a version brings its content back as a new version, made when the memory was made', () => {
    const earlier = state({ content: { content: 'old' }, importance: 1, createdAt: T1 })
    const made = event(on(memory(), { type: 'restore', id: ID, version: 1 }, earlier))
    expect(made.version).toBe(4)
    expect(made.data).toEqual({
      state: { ...earlier, createdAt: T1, updatedAt: T2 },
      changed: ['content.content', 'content.key', 'importance'],
      restoredVersion: 1,
    })
  })

  it('to a version at which it was forgotten does not forget it again', () => {
    const earlier = state({ content: { content: 'old' }, forgottenAt: T1 })
    const { data } = event(on(memory(), { type: 'restore', id: ID, version: 2 }, earlier))
    expect(data.state.forgottenAt).toBeNull()
  })

  it('of a forgotten memory to a version does both', () => {
    const earlier = state({ content: { content: 'old' } })
    const { data } = event(on(memory({ forgottenAt: T1 }), { type: 'restore', id: ID, version: 1 }, earlier))
    expect(data.changed).toEqual(['content.content', 'content.key', 'forgottenAt'])
  })

  it('to what is there already is no event', () => {
    expect(on(memory(), { type: 'restore', id: ID, version: 3 }, state())).toBeNull()
  })

  it('to a version that never was is not found', () => {
    const error = failure(() => on(memory(), { type: 'restore', id: ID, version: 9 }))
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error.message).toBe(`Version 9 of insight:${ID} was not found in this project`)
  })
})

describe.each([
  ['revise', { type: 'revise', id: ID, input: { importance: 1 } }],
  ['forget', { type: 'forget', id: ID }],
  ['restore', { type: 'restore', id: ID }],
] as const)('%s', (_, command) => {
  it('of a memory that is not there is not found', () => {
    const error = failure(() => on(null, command))
    expect(error).toMatchObject({
      code: 'NOT_FOUND',
      message: `The memory ${ID} was not found in this project`,
    })
  })

  it.each([2, 4, 0, -1])('expecting version %s of a memory at 3 is a conflict', (expectedVersion) => {
    for (const forgottenAt of [null, T1]) {
      const error = failure(() => on(memory({ forgottenAt }), { ...command, expectedVersion }))
      expect(error).toBeInstanceOf(ConflictError)
      expect(error).toMatchObject({ code: 'VERSION_CONFLICT', currentVersion: 3 })
    }
  })

  it('expecting the version that is there goes on', () => {
    const before = memory({ forgottenAt: command.type === 'restore' ? T1 : null })
    expect(on(before, { ...command, expectedVersion: 3 })?.version).toBe(4)
  })
})

describe('expiry', () => {
  const [PAST, LATER] = ['2026-05-02T11:59:59.999Z', '2026-05-02T12:00:00.001Z']
  const input = { content: { kind: 'insight', fields: { content: 'a' } } }

  it.each([PAST, T2])('is refused at %s, which is not later than now', (expiresAt) => {
    const remembering = failure(() => on(null, { type: 'remember', id: ID, input: { ...input, expiresAt } }))
    expect(remembering).toMatchObject({ code: 'VALIDATION', field: 'expiresAt' })
    expect(remembering.message).toContain(`later than now (${T2})`)
    const revising = failure(() => on(memory(), { type: 'revise', id: ID, input: { expiresAt } }))
    expect(revising).toMatchObject({ code: 'VALIDATION', field: 'expiresAt' })
    expect(on(null, { type: 'remember', id: ID, input: { ...input, expiresAt: LATER } })).not.toBeNull()
  })

  it('forgets what has expired, and nothing else', () => {
    const expired = event(on(memory({ expiresAt: T2 }), { type: 'expire', id: ID }))
    expect(expired).toMatchObject({ type: 'MemoryExpired', version: 4, data: { changed: ['forgottenAt'] } })
    expect(expired.data.state).toEqual(state({ expiresAt: T2, forgottenAt: T2, updatedAt: T2 }))
    expect(on(memory({ expiresAt: LATER }), { type: 'expire', id: ID })).toBeNull()
    expect(on(memory(), { type: 'expire', id: ID })).toBeNull()
    expect(on(memory({ expiresAt: PAST, forgottenAt: T1 }), { type: 'expire', id: ID })).toBeNull()
  })

  it('does not follow a memory that is restored, unless a new moment is given', () => {
    const expired = memory({ expiresAt: PAST, forgottenAt: PAST })
    const back = event(on(expired, { type: 'restore', id: ID }))
    expect(back.data).toMatchObject({
      state: { expiresAt: null, forgottenAt: null },
      changed: ['expiresAt', 'forgottenAt'],
    })
    const again = event(on(expired, { type: 'restore', id: ID, expiresAt: LATER }))
    expect(again.data.state).toMatchObject({ expiresAt: LATER, forgottenAt: null })
    const refused = failure(() => on(expired, { type: 'restore', id: ID, expiresAt: PAST }))
    expect(refused).toMatchObject({ code: 'VALIDATION', field: 'expiresAt' })
    const kept = event(on(memory({ expiresAt: LATER, forgottenAt: T1 }), { type: 'restore', id: ID }))
    expect(kept.data.state.expiresAt).toBe(LATER)
    const version = event(
      on(memory(), { type: 'restore', id: ID, version: 1 }, state({ importance: 1, expiresAt: PAST })),
    )
    expect(version.data.state.expiresAt).toBeNull()
  })
})

describe('todos and sessions', () => {
  const todo = (content: MemoryState['content'] = {}) =>
    memory({ kind: 'todo', content: { description: 'a', ...content } })
  const session = (content: MemoryState['content'] = {}) =>
    memory({ kind: 'session', content: { summary: 'a', ...content } })

  it.each([
    ['resolveTodo', todo(), { description: 'a', resolvedAt: T2 }],
    ['reopenTodo', todo({ resolvedAt: T1 }), { description: 'a' }],
    ['closeSession', session(), { summary: 'a', status: 'closed' }],
    ['closeSession', session({ status: 'active' }), { summary: 'a', status: 'closed' }],
  ] as const)('%s is a revision', (type, before, content) => {
    const made = event(on(before, { type, id: ID }))
    expect(made).toMatchObject({ type: 'MemoryRevised', version: 4 })
    expect(made.data.state.content).toEqual(content)
  })

  it.each([
    ['resolveTodo', todo({ resolvedAt: T1 })],
    ['reopenTodo', todo()],
    ['closeSession', session({ status: 'closed' })],
  ] as const)('%s changes nothing where it is done', (type, before) => {
    expect(on(before, { type, id: ID })).toBeNull()
  })

  it('are refused for other kinds, other versions and forgotten memories', () => {
    expect(failure(() => on(memory(), { type: 'resolveTodo', id: ID }))).toMatchObject({
      code: 'VALIDATION',
      message: 'id is of kind insight: resolveTodo needs a todo',
    })
    expect(failure(() => on(todo(), { type: 'resolveTodo', id: ID, expectedVersion: 2 }))).toMatchObject({
      code: 'VERSION_CONFLICT',
      currentVersion: 3,
    })
    const gone = memory({ kind: 'todo', content: { description: 'a' }, forgottenAt: T1 })
    expect(failure(() => on(gone, { type: 'resolveTodo', id: ID })).code).toBe('FORGOTTEN')
  })
})

describe('undoing', () => {
  const undo = (toVersion: number, expectedVersion = 3): Command => ({
    type: 'undo',
    id: ID,
    toVersion,
    expectedVersion,
  })

  it('forgets what there was not, and says so', () => {
    const made = event(on(memory(), undo(0)))
    expect(made).toMatchObject({ type: 'MemoryForgotten', data: { undoneTo: 0, changed: ['forgottenAt'] } })
    expect(on(memory({ forgottenAt: T1 }), undo(0))).toBeNull()
  })

  it('brings a version back, also that it was forgotten', () => {
    const made = event(on(memory({ forgottenAt: T1 }), undo(1), state({ importance: 1 })))
    expect(made).toMatchObject({ type: 'MemoryRestored', data: { undoneTo: 1, restoredVersion: 1 } })
    expect(made.data.state).toMatchObject({ importance: 1, forgottenAt: null })
    const gone = event(on(memory(), undo(2), state({ importance: 1, forgottenAt: T1 })))
    expect(gone).toMatchObject({ type: 'MemoryForgotten', data: { undoneTo: 2 } })
    expect(gone.data.state).toMatchObject({ importance: 1, forgottenAt: T1 })
  })

  it('does not bring back what has expired since', () => {
    const earlier = state({ importance: 1, expiresAt: T1 })
    const { data } = event(on(memory({ expiresAt: T1, forgottenAt: T1 }), undo(1), earlier))
    expect(data.state).toMatchObject({ importance: 1, forgottenAt: T1 })
    // What was given a sooner end since comes back with its own.
    const ended = event(on(memory({ expiresAt: T1, forgottenAt: T1 }), undo(1), state()))
    expect(ended.data.state).toMatchObject({ expiresAt: null, forgottenAt: null })
  })

  it('is refused at another version than it was planned on', () => {
    expect(failure(() => on(memory(), undo(1, 2), state())).code).toBe('VERSION_CONFLICT')
  })
})
