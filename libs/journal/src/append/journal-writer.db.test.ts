import type { JournalEvent, LinkedEvent } from '@daybook/memory/events'
import { fold } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readHead, readJournal } from '../read/read.ts'
import { readable } from '../read/stored-event.ts'
import { forgetting, NOBODY, note, restoring, revision } from '../testing/requests.ts'
import { appendOne, createJournalWriter } from './journal-writer.ts'

const quiet = () => createJournalWriter(() => {})
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

async function events(scope: ProjectScope): Promise<JournalEvent[]> {
  const records = await readJournal(scope, { after: 0, limit: 10_000 })
  return records.map(readable)
}

async function countTransactions({ db, projectId }: ProjectScope): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct xmin::text) from events where project_id = ${projectId}`.execute(db)
  return Number(rows[0]?.count)
}

describe.each(TEST_DATABASES)('the journal on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database.stop())

  it('gives the receipt of what is committed, and reads the same back', async () => {
    const scope = await database.newProject()
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const metadata = { actor: 'me', correlationId: 'request 1', causationId: 'event 0', traceparent }
    const request = note('hello', { metadata })
    const { memory, event, duplicate } = await appendOne(quiet(), scope, request)
    expect({ version: memory.version, sequence: memory.sequence, duplicate }).toEqual({
      version: 1,
      sequence: 1,
      duplicate: false,
    })
    expect(await events(scope)).toEqual([event])
    expect(event).toMatchObject({
      ...metadata,
      projectId: scope.projectId,
      memoryId: request.command.id,
      type: 'MemoryRemembered',
      data: { state: memory.state, changed: ['content.text', 'importance'] },
    })
    expect(event?.recordedAt).toBe(memory.state.createdAt)
    expect(await readHead(scope)).toBe(1)
  })

  it('numbers the events of several writers without a gap or a repeat', async () => {
    const scope = await database.newProject()
    const gateways = [quiet(), quiet(), quiet()]
    await Promise.all(
      upTo(150).map(async (number) => {
        const gateway = gateways[number % gateways.length]!
        const { memory } = await appendOne(gateway, scope, note(`${number}`))
        if (number % 3 === 0) await appendOne(gateway, scope, revision(memory.state.id, 'again'))
      }),
    )
    const written = await events(scope)
    expect(written.map((event) => event.sequence)).toEqual(upTo(200))
    expect(new Set(written.map((event) => event.eventId)).size).toBe(200)
    expect(await readHead(scope)).toBe(200)
  })

  it('numbers each project on its own', async () => {
    const [one, other] = [await database.newProject(), await database.newProject()]
    const writer = quiet()
    await Promise.all([
      ...upTo(20).map(() => appendOne(writer, one, note('one'))),
      ...upTo(10).map(() => appendOne(writer, other, note('other'))),
    ])
    expect((await events(one)).map((event) => event.sequence)).toEqual(upTo(20))
    expect((await events(other)).map((event) => event.data.state.content.text)).toEqual(
      upTo(10).map(() => 'other'),
    )
  })

  it('commits what arrives together in one transaction, and what arrives meanwhile in the next', async () => {
    const scope = await database.newProject()
    const writer = quiet()
    const first = upTo(100).map((number) => appendOne(writer, scope, note(`${number}`)))
    await Promise.race(first)
    await Promise.all([...first, ...upTo(100).map((number) => appendOne(writer, scope, note(`${number}`)))])
    expect(await readHead(scope)).toBe(200)
    expect(await countTransactions(scope)).toBeLessThanOrEqual(3)
  })

  it('commits no more than 500 requests at once, and requests given together always together', async () => {
    const scope = await database.newProject()
    const writer = quiet()
    const many = (count: number) => upTo(count).map((number) => note(`${number}`))
    const outcomes = await Promise.all([
      writer.appendMany(scope, many(300)),
      writer.appendMany(scope, many(300)),
      writer.appendMany(scope, many(600)),
    ])
    expect(outcomes.map((own) => own.length)).toEqual([300, 300, 600])
    expect(await countTransactions(scope)).toBe(3)
    expect((await events(scope)).map((event) => event.sequence)).toEqual(upTo(1200))
  })

  it('keeps the order in which one caller asked', async () => {
    const scope = await database.newProject()
    const writer = quiet()
    await Promise.all(upTo(50).map((number) => appendOne(writer, scope, note(`${number}`))))
    expect((await events(scope)).map((event) => event.data.state.content.text)).toEqual(upTo(50).map(String))
  })

  it('gives a refused request no sequence and its neighbours no harm', async () => {
    const scope = await database.newProject()
    const outcomes = await quiet().appendMany(scope, [
      note('first'),
      note(''),
      revision(newId(), 'of nothing'),
      note('\u0000'),
      note('last'),
    ])
    expect(outcomes.map((outcome) => ('error' in outcome ? outcome.error.message : 'written'))).toEqual([
      'written',
      'content.note.text must not be blank',
      expect.stringContaining('was not found in this project'),
      'content.note.text must not contain the NUL character (U+0000)',
      'written',
    ])
    expect((await events(scope)).map((event) => [event.sequence, event.data.state.content.text])).toEqual([
      [1, 'first'],
      [2, 'last'],
    ])
  })

  it('gives what changes nothing no sequence either', async () => {
    const scope = await database.newProject()
    const writer = quiet()
    const { memory } = await appendOne(writer, scope, note('same'))
    expect(await appendOne(writer, scope, revision(memory.state.id, 'same'))).toEqual({
      memory,
      written: null,
      event: null,
      duplicate: false,
    })
    expect(await readHead(scope)).toBe(1)
  })

  it('lets each request of a batch see those before it', async () => {
    const scope = await database.newProject()
    const first = note('first')
    const { id } = first.command
    const outcomes = await quiet().appendMany(scope, [
      first,
      revision(id, 'second', { expectedVersion: 1 }),
      revision(id, 'stale', { expectedVersion: 1 }),
      forgetting(id),
      restoring(id, 1),
    ])
    const results = outcomes.map((one) => ('error' in one ? one.error : one.appended.memory.version))
    expect(results).toEqual([
      1,
      2,
      expect.objectContaining({ code: 'VERSION_CONFLICT', currentVersion: 2 }),
      3,
      4,
    ])
    const written = await events(scope)
    expect(written.map((event) => event.type)).toEqual([
      'MemoryRemembered',
      'MemoryRevised',
      'MemoryForgotten',
      'MemoryRestored',
    ])
    expect(written[3]?.data.state.content).toEqual({ text: 'first' })
  })

  it('restores a version of long ago from what the journal says', async () => {
    const scope = await database.newProject()
    const writer = quiet()
    const { memory } = await appendOne(writer, scope, note('one'))
    const { id } = memory.state
    await appendOne(writer, scope, revision(id, 'two'))
    await appendOne(writer, scope, forgetting(id))
    const restored = await appendOne(writer, scope, restoring(id, 1))
    expect(restored.memory.state).toMatchObject({ content: { text: 'one' }, forgottenAt: null })
    expect(restored.event).toMatchObject({ type: 'MemoryRestored', data: { restoredVersion: 1 } })
    await expect(appendOne(writer, scope, restoring(id, 9))).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(restored.memory).toMatchObject({ version: 4, sequence: 4, hash: restored.event?.hash })
    expect(fold(await events(scope)).get(id)).toEqual({
      state: restored.memory.state,
      version: 4,
      sequence: 4,
    })
  })

  it('finds no memory of another project', async () => {
    const [one, other] = [await database.newProject(), await database.newProject()]
    const writer = quiet()
    const { memory } = await appendOne(writer, one, note('mine'))
    await expect(appendOne(writer, other, forgetting(memory.state.id))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await readHead(other)).toBe(0)
  })

  it('records later events at later times', async () => {
    const scope = await database.newProject()
    const writer = quiet()
    for (const text of ['a', 'b', 'c', 'd']) await appendOne(writer, scope, note(text))
    const times = (await events(scope)).map((event) => event.recordedAt)
    expect(times).toEqual(times.toSorted())
    expect(Math.abs(Date.parse(times[3] ?? '') - Date.now())).toBeLessThan(3_600_000)
  })

  it('tells of events after their commit, in the order of the journal', async () => {
    const scope = await database.newProject()
    const heard: JournalEvent[] = []
    const writer = createJournalWriter((projectId, committed) => {
      expect(projectId).toBe(scope.projectId)
      heard.push(...(committed as LinkedEvent[]))
    })
    await Promise.all(upTo(30).map((number) => appendOne(writer, scope, note(`${number}`))))
    await Promise.all(upTo(30).map((number) => appendOne(writer, scope, note(`${number}`))))
    await expect(appendOne(writer, scope, note(''))).rejects.toThrow('blank')
    expect(heard).toEqual(await events(scope))
  })

  it('has drained when everything accepted is committed', async () => {
    const scope = await database.newProject()
    const writer = quiet()
    await writer.drained()
    const appends = upTo(20).map((number) => appendOne(writer, scope, note(`${number}`)))
    await writer.drained()
    expect(await readHead(scope)).toBe(20)
    await Promise.all(appends)
  })

  it('keeps odd Unicode exactly, beside everything else in the batch', async () => {
    const scope = await database.newProject()
    const odd = [
      '\u0001\u001F\u007F',
      '\uFFFF\uFFFE',
      '\u2028\u2029',
      '\\u0000',
      '"\'$1;--',
      '👩‍👩‍👧\u{10FFFF}',
      'e\u0301',
    ]
    const texts = odd.map((text) => `x${text}`)
    const outcomes = await quiet().appendMany(
      scope,
      texts.map((text) => note(text, { idempotencyKey: text, metadata: { ...NOBODY, actor: text } })),
    )
    expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([])
    const written = await events(scope)
    expect(written.map((event) => event.data.state.content.text)).toEqual(texts)
    expect(written.map((event) => event.actor)).toEqual(texts)
  })

  it.each([
    ['NUL in an idempotency key', { idempotencyKey: 'a\u0000' }],
    ['NUL in who asked', { metadata: { ...NOBODY, actor: 'a\u0000' } }],
    ['a lone surrogate in who asked', { metadata: { ...NOBODY, correlationId: '\uD800' } }],
  ])('does not let %s fail the requests that arrived with it', async (_, more) => {
    const scope = await database.newProject()
    const writer = quiet()
    const results = await Promise.allSettled([
      appendOne(writer, scope, note('before')),
      appendOne(writer, scope, note('bad', more)),
      appendOne(writer, scope, note('after')),
    ])
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await events(scope)).map((event) => [event.sequence, event.data.state.content.text])).toEqual([
      [1, 'before'],
      [2, 'after'],
    ])
  })

  it('shows a reader a prefix without gaps at every moment', async () => {
    const scope = await database.newProject()
    const writers = [quiet(), quiet()]
    let writing = true
    const appends = Promise.all(
      upTo(10).map(async (lane) => {
        for (const number of upTo(20)) await appendOne(writers[lane % 2]!, scope, note(`${lane} ${number}`))
      }),
    ).finally(() => {
      writing = false
    })
    const broken: number[][] = []
    let looks = 0
    while (writing) {
      const seen = (await readJournal(scope, { after: 0, limit: 10_000 })).map((record) => record.sequence)
      if (seen.some((sequence, index) => sequence !== index + 1)) broken.push(seen)
      looks += 1
    }
    await appends
    expect(broken).toEqual([])
    expect(looks).toBeGreaterThan(3)
    expect(await readHead(scope)).toBe(200)
  })
})
