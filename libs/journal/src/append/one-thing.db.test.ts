import type { RememberInput } from '@daybook/memory/commands'
import { partsOf } from '@daybook/memory/documents/following-parts'
import { fold } from '@daybook/memory/events'
import { identityKeyOf } from '@daybook/memory/existing/on-existing'
import { newId } from '@daybook/memory/id'
import { KIND_NAMES, kindNamed } from '@daybook/memory/kinds/index'
import { type Memory, titleOf } from '@daybook/memory/state'
import { anyCharacter } from '@daybook/memory/testing/any-character'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readJournal } from '../read/read.ts'
import { readable } from '../read/stored-event.ts'
import { eraseEvents } from '../testing/erase.ts'
import { forgetting, NOBODY, restoring } from '../testing/requests.ts'
import type { AppendRequest } from './append-request.ts'
import { appendOne, createJournalWriter } from './journal-writer.ts'

const remembering = (input: RememberInput): AppendRequest => ({
  command: { type: 'remember', id: newId(), input },
  metadata: NOBODY,
})
const revising = (id: string, input: object): AppendRequest => ({
  command: { type: 'revise', id, input },
  metadata: NOBODY,
})
const insight = (key: string, content: string, more: Partial<RememberInput> = {}) =>
  remembering({ content: { kind: 'insight', fields: { key, content } }, ...more })
const document = (externalId: string, texts: readonly string[], more: Partial<RememberInput> = {}) => {
  const [content, ...furtherParts] = texts
  return remembering({
    content: { kind: 'document', fields: { externalId, content } },
    furtherParts,
    ...more,
  })
}

async function memories(scope: ProjectScope): Promise<Memory[]> {
  const records = await readJournal(scope, { after: 0, limit: 10_000 })
  return [...fold(records.map(readable)).values()]
}
const live = async (scope: ProjectScope) =>
  (await memories(scope)).filter(({ state }) => state.forgottenAt === null)

/** The texts of a document's live parts in order, as a reader of the journal finds them. */
async function textsOf(scope: ProjectScope, externalId: string): Promise<unknown[]> {
  const all = await live(scope)
  const first = all.find(({ state }) => state.content['externalId'] === externalId)
  if (first === undefined) return []
  const further = all
    .filter(({ state: { id, part } }) => part?.document === first.state.id && id !== first.state.id)
    .toSorted((a, b) => (a.state.part?.number ?? 0) - (b.state.part?.number ?? 0))
  expect(further.map(({ state }) => state.part?.number)).toEqual(further.map((_, index) => index + 2))
  expect(partsOf(first.state)).toBe(further.length + 1)
  return [first, ...further].map(({ state }) => state.content['content'])
}

describe.each(TEST_DATABASES)('one thing, one memory on $name', ({ start, severalSessions }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database.stop())
  const writer = () => createJournalWriter(() => {})
  const appending = () => {
    const one = writer()
    return (scope: ProjectScope, request: AppendRequest) => appendOne(one, scope, request)
  }

  it('refuses a key that no store can keep, and only the request that has it', async () => {
    const append = appending()
    const scope = await database.newProject()
    await append(scope, insight('jwt', 'one'))
    const [first, bad, alone] = await Promise.allSettled([
      append(scope, insight('jwt', 'two')),
      append(scope, insight('a\u0000', 'one')),
      append(scope, insight('other', 'one', { context: '\uD800' })),
    ])
    expect(first).toMatchObject({ status: 'fulfilled', value: { memory: { version: 2 } } })
    expect(bad).toMatchObject({
      status: 'rejected',
      reason: { code: 'VALIDATION', field: 'content.insight.key' },
    })
    expect(alone).toMatchObject({ status: 'rejected', reason: { code: 'VALIDATION', field: 'context' } })
  })

  it('revises an insight of the same key and context, and says when nothing changes', async () => {
    const scope = await database.newProject()
    const append = appending()
    const first = await append(
      scope,
      insight('jwt', 'one', { importance: 8, occurredAt: '2026-01-01T00:00:00Z' }),
    )
    const second = await append(scope, insight('jwt', 'two', { labels: ['auth'] }))
    expect(second.memory).toMatchObject({
      version: 2,
      state: {
        id: first.memory.state.id,
        content: { content: 'two' },
        importance: 8,
        labels: ['auth'],
        occurredAt: null,
      },
    })
    expect(second.event?.data.changed).toEqual(['content.content', 'labels', 'occurredAt'])
    expect(await append(scope, insight('jwt', 'two'))).toMatchObject({ event: null, memory: { version: 2 } })
    // Another context, case or kind is another thing.
    for (const other of [
      insight('jwt', 'three', { context: 'shop' }),
      insight('JWT', 'four'),
      remembering({ content: { kind: 'entity', fields: { name: 'jwt', type: 'token' } } }),
      remembering({ content: { kind: 'entity', fields: { name: 'jwt', type: 'person' } } }),
      remembering({ content: { kind: 'decision', fields: { topic: 'jwt', decision: 'yes' } } }),
      remembering({ content: { kind: 'decision', fields: { topic: 'jwt', decision: 'no' } } }),
    ])
      expect((await append(scope, other)).memory.version).toBe(1)
  })

  it.each(KIND_NAMES.filter((kind) => kindNamed(kind).identity !== null))(
    'finds the same %s again, whichever of its fields have its identity',
    async (kind) => {
      const append = appending()
      const scope = await database.newProject()
      // Every field, so that a kind which is added need not be described here. Choices and times are no names.
      const fields = Object.fromEntries(
        Object.entries(kindNamed(kind).fields)
          .filter(([, { schema }]) => schema.safeParse('a name').success)
          .map(([field]) => [field, `a ${field}`]),
      )
      const once = await append(scope, remembering({ content: { kind, fields }, onExisting: 'REVISE' }))
      const again = await append(
        scope,
        remembering({ content: { kind, fields }, importance: 9, onExisting: 'REVISE' }),
      )
      expect(again.memory).toMatchObject({ version: 2, state: { id: once.memory.state.id } })
    },
  )

  it('rejects or keeps both where the caller says so', async () => {
    const scope = await database.newProject()
    const append = appending()
    const { memory } = await append(scope, insight('jwt', 'one'))
    await expect(append(scope, insight('jwt', 'two', { onExisting: 'REJECT' }))).rejects.toMatchObject({
      code: 'KEY_EXISTS',
      currentVersion: 1,
      message: expect.stringContaining(`insight:${memory.state.id}`),
    })
    const both = await append(scope, insight('jwt', 'two', { onExisting: 'KEEP_BOTH' }))
    expect(both.memory.state.id).not.toBe(memory.state.id)
    // The newest of several is the one that changes.
    const third = await append(scope, insight('jwt', 'three'))
    expect(third.memory.state.id).toBe(both.memory.state.id)
    await expect(append(scope, insight('jwt', 'x', { onExisting: 'MERGE' }))).rejects.toMatchObject({
      field: 'onExisting',
      message: expect.stringContaining('REVISE, KEEP_BOTH, REJECT'),
    })
    await expect(append(scope, document('a', ['x'], { onExisting: 'KEEP_BOTH' }))).rejects.toMatchObject({
      field: 'onExisting',
    })
  })

  it('remembers again what was forgotten; only a document comes back', async () => {
    const scope = await database.newProject()
    const append = appending()
    const { memory } = await append(scope, insight('jwt', 'one'))
    await append(scope, forgetting(memory.state.id))
    const second = await append(scope, insight('jwt', 'two'))
    expect(second.memory.version).toBe(1)

    const indexed = await append(scope, document('a.md', ['one']))
    await append(scope, forgetting(indexed.memory.state.id))
    const back = await append(scope, document('a.md', ['two']))
    expect(back).toMatchObject({
      event: { type: 'MemoryRestored' },
      memory: {
        version: 3,
        state: { id: indexed.memory.state.id, forgottenAt: null, content: { content: 'two' } },
      },
    })
  })

  it('never changes the id of a document, and may index an erased one again', async () => {
    const scope = await database.newProject()
    const append = appending()
    const { memory } = await append(scope, document('a.md', ['one']))
    const rename = revising(memory.state.id, {
      content: { kind: 'document', fields: { externalId: 'b.md' } },
    })
    await expect(append(scope, rename)).rejects.toMatchObject({ field: 'content.document.externalId' })
    await eraseEvents(database, scope.projectId, [memory.sequence])
    const again = await append(scope, document('a.md', ['two']))
    expect(again.memory).toMatchObject({ version: 1, sequence: 2 })
  })

  it('keeps the parts of a document together: revised, forgotten, restored and labelled as one', async () => {
    const scope = await database.newProject()
    const append = appending()
    const { memory } = await append(scope, document('long', ['a1', 'a2', 'a3'], { labels: ['x'] }))
    const { id } = memory.state
    expect(memory).toMatchObject({ sequence: 3, version: 1, state: { part: { number: 1, of: 3 } } })
    expect(await textsOf(scope, 'long')).toEqual(['a1', 'a2', 'a3'])

    const same = await append(scope, document('long', ['a1', 'a2', 'a3']))
    expect(same).toMatchObject({ event: null, memory: { sequence: 3 } })
    // Only a further part differs: it and the document have new versions, and the receipt covers both.
    const second = await append(scope, document('long', ['a1', 'a2', 'b3']))
    expect(second.memory).toMatchObject({ version: 2, sequence: 5 })
    expect(await textsOf(scope, 'long')).toEqual(['a1', 'a2', 'b3'])

    await append(scope, document('long', ['c1', 'c2']))
    expect(await textsOf(scope, 'long')).toEqual(['c1', 'c2'])
    await append(scope, restoring(id, 2))
    expect(await textsOf(scope, 'long')).toEqual(['a1', 'a2', 'b3'])

    await append(scope, revising(id, { labels: ['y'], context: 'shop' }))
    for (const { state } of await live(scope)) expect(state).toMatchObject({ labels: ['y'], context: 'shop' })
    expect((await live(scope)).map(({ state }) => titleOf(state)).toSorted()).toEqual([
      'a1 (part 1)',
      'a2 (part 2)',
      'b3 (part 3)',
    ])

    await append(scope, forgetting(id))
    expect(await live(scope)).toEqual([])
    await append(scope, restoring(id))
    expect(await textsOf(scope, 'long')).toEqual(['a1', 'a2', 'b3'])
    await append(scope, document('long', ['short']))
    expect(await textsOf(scope, 'long')).toEqual(['short'])
  })

  it('links a memory to the one it supersedes, which must be there', async () => {
    const scope = await database.newProject()
    const append = appending()
    const { memory } = await append(scope, insight('old', 'one'))
    const next = await append(scope, insight('new', 'two', { supersedes: `insight:${memory.state.id}` }))
    expect(next.memory.state.supersedes).toBe(memory.state.id)
    const freed = await append(scope, revising(next.memory.state.id, { supersedes: null }))
    expect(freed).toMatchObject({
      memory: { state: { supersedes: null } },
      event: { data: { changed: ['supersedes'] } },
    })
    for (const supersedes of [newId(), 'nonsense', 5])
      await expect(append(scope, insight('x', 'x', { supersedes }))).rejects.toMatchObject({
        field: 'supersedes',
      })
    await expect(
      append(scope, revising(memory.state.id, { supersedes: memory.state.id })),
    ).rejects.toMatchObject({ field: 'supersedes' })
  })

  it('finds by the same text that Postgres hashes', async () => {
    const scope = await database.newProject()
    const append = appending()
    const word = fc
      .string({ unit: anyCharacter, minLength: 1, maxLength: 12 })
      .map((text) => `é${text.replaceAll('\0', '')}`)
    const kinds = fc.constantFrom(
      (name: string, type: string) => ({ kind: 'insight', fields: { key: name, content: type } }),
      (name: string, type: string) => ({ kind: 'stash', fields: { name, summary: type } }),
      (name: string, type: string) => ({ kind: 'decision', fields: { topic: name, decision: type } }),
      (name: string, type: string) => ({ kind: 'entity', fields: { name, type } }),
      (name: string, type: string) => ({ kind: 'document', fields: { externalId: name, content: type } }),
    )
    await fc.assert(
      fc.asyncProperty(kinds, word, word, fc.option(word), async (kind, name, type, context) => {
        const input = { content: kind(name, type), context, onExisting: 'REVISE' }
        const { memory } = await append(scope, remembering(input))
        const { rows } = await sql<{ found: boolean }>`
          select identity_hash = hashtextextended(${identityKeyOf(memory.state)}, 0) as found from events
          where project_id = ${scope.projectId} and sequence = ${memory.sequence}`.execute(scope.db)
        expect(rows).toEqual([{ found: true }])
        expect((await append(scope, remembering(input))).memory.state.id).toBe(memory.state.id)
      }),
      { numRuns: 10 },
    )
  })

  // The embedded database has one session, and its writers wait for each other anyway.
  if (severalSessions)
    it('holds whatever several writers do at once', async () => {
      const key = fc.constantFrom('a', 'b', 'c')
      const step = fc.record({
        writer: fc.nat(2),
        at: key,
        kind: fc.constantFrom('insight', 'document' as const),
        parts: fc.integer({ min: 1, max: 4 }),
        forgets: fc.boolean(),
      })
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(step, { minLength: 2, maxLength: 6 }), { minLength: 3, maxLength: 6 }),
          async (rounds) => {
            const scope = await database.newProject()
            const writers = [writer(), writer(), writer()]
            const written = new Set<string>()
            let acknowledged = 0
            let text = 0
            for (const round of rounds) {
              // All at once: nobody knows which comes first.
              const outcomes = await Promise.allSettled(
                round.map(async ({ writer: which, at, kind, parts, forgets }) => {
                  const one = writers[which] as ReturnType<typeof writer>
                  const all = Array.from({ length: parts }, () => `text ${++text}`)
                  const request = kind === 'insight' ? insight(at, all.join()) : document(at, all)
                  const { memory, event } = await appendOne(one, scope, request)
                  expect(event).not.toBeNull()
                  acknowledged += 1
                  written.add(kind === 'insight' ? all.join() : all.join('|'))
                  if (forgets) await appendOne(one, scope, forgetting(memory.state.id))
                }),
              )
              expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
              // Between rounds, the journal holds each thing once, and each document whole.
              const now = await live(scope)
              const keys = now.map(({ state }) => identityKeyOf(state))
              expect(new Set(keys).size).toBe(keys.length)
              for (const externalId of ['a', 'b', 'c']) {
                const found = await textsOf(scope, externalId)
                if (found.length > 0) expect(written).toContain(found.join('|'))
              }
            }
            const records = (await readJournal(scope, { after: 0, limit: 10_000 })).map(readable)
            // No write was lost: each that was acknowledged stands in the journal with its text.
            const own = records.filter(
              ({ type, data: { state } }) => (state.part?.number ?? 1) === 1 && type !== 'MemoryForgotten',
            )
            expect(own.length).toBe(acknowledged)
            const documents = new Set(
              records.flatMap(({ data: { state } }) =>
                state.content['externalId'] === undefined ? [] : [state.id],
              ),
            )
            expect(documents.size).toBeLessThanOrEqual(3)
          },
        ),
        { numRuns: 5 },
      )
    })
})
