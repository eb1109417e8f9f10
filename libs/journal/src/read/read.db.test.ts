import { newId } from '@daybook/memory/id'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendOne, createJournalWriter } from '../append/journal-writer.ts'
import { eraseEvents } from '../testing/erase.ts'
import { forgetting, note, restoring, revision } from '../testing/requests.ts'
import { readHead, readJournal, readMemoryEvents } from './read.ts'

/** Writes an event at the end of the journal as a newer or damaged Daybook might have. */
async function writeOddEvent(
  { db, projectId }: ProjectScope,
  odd: { type?: string; schemaVersion?: number; data?: unknown; memoryId?: string; version?: number },
): Promise<void> {
  const { type = 'MemoryRevised', schemaVersion = 1, data = {}, memoryId = newId(), version = 1 } = odd
  await sql`
    with head as (
      update journal_heads set sequence = sequence + 1 where project_id = ${projectId} returning sequence
    )
    insert into events (project_id, sequence, event_id, memory_id, version, type, schema_version, data, recorded_at,
      data_salt, data_hash, hash)
    select ${projectId}, sequence, ${newId()}, ${memoryId}, ${version}::int, ${type}, ${schemaVersion}::int,
      ${JSON.stringify(data)}::jsonb, now(), decode(repeat('00', 16), 'hex'), '', ''
    from head`.execute(db)
}

describe.each(TEST_DATABASES)('reading the journal on $name', ({ start }) => {
  let database: TestDatabase
  const writer = createJournalWriter(() => {})
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database.stop())

  it('gives the places after a sequence, in order, at most so many', async () => {
    const scope = await database.newProject()
    await writer.appendMany(
      scope,
      ['a', 'b', 'c', 'd', 'e'].map((text) => note(text)),
    )
    const places = async (after: number, limit: number) =>
      (await readJournal(scope, { after, limit })).map((record) => record.sequence)
    expect(await places(0, 10)).toEqual([1, 2, 3, 4, 5])
    expect(await places(2, 2)).toEqual([3, 4])
    expect(await places(5, 10)).toEqual([])
    expect(await places(99, 10)).toEqual([])
  })

  it('gives one memory alone, oldest first, from a version on', async () => {
    const scope = await database.newProject()
    const { memory } = await appendOne(writer, scope, note('one'))
    const { id } = memory.state
    await appendOne(writer, scope, note('another'))
    await appendOne(writer, scope, revision(id, 'two'))
    await appendOne(writer, scope, forgetting(id))
    const versions = async (options: { afterVersion?: number; limit: number }) =>
      (await readMemoryEvents(scope, id, options)).map(({ envelope }) => [
        envelope.version,
        envelope.sequence,
      ])
    expect(await versions({ limit: 10 })).toEqual([
      [1, 1],
      [2, 3],
      [3, 4],
    ])
    expect(await versions({ afterVersion: 1, limit: 1 })).toEqual([[2, 3]])
    expect(await readMemoryEvents(scope, newId(), { limit: 10 })).toEqual([])
  })

  it('shows nothing of another project', async () => {
    const [one, other] = [await database.newProject(), await database.newProject()]
    const { memory } = await appendOne(writer, one, note('mine'))
    expect(await readJournal(other, { after: 0, limit: 10 })).toEqual([])
    expect(await readMemoryEvents(other, memory.state.id, { limit: 10 })).toEqual([])
    expect(await readHead(other)).toBe(0)
  })

  it('knows no journal of a project that is not there', async () => {
    expect(await readHead({ db: database.db, projectId: newId() })).toBe(0)
    await expect(appendOne(writer, { db: database.db, projectId: newId() }, note('a'))).rejects.toThrow(
      /has no journal/,
    )
  })

  it('reports an event that it cannot read in its place and goes on', async () => {
    const scope = await database.newProject()
    await appendOne(writer, scope, note('before'))
    await writeOddEvent(scope, { type: 'MemoryDreamt' })
    await writeOddEvent(scope, { schemaVersion: 99 })
    await writeOddEvent(scope, { data: { no: 'state' } })
    await appendOne(writer, scope, note('after'))
    const records = await readJournal(scope, { after: 0, limit: 10 })
    expect(records.map((record) => [record.sequence, record.event?.data.state.content.text])).toEqual([
      [1, 'before'],
      [2, undefined],
      [3, undefined],
      [4, undefined],
      [5, 'after'],
    ])
    expect(records[1]).toMatchObject({
      memoryId: expect.any(String),
      error: { code: 'CORRUPT_EVENT', message: expect.stringContaining('MemoryDreamt') },
    })
  })

  it('gives only the envelope of an erased event, and no longer knows its memory', async () => {
    const scope = await database.newProject()
    const { memory, event } = await appendOne(writer, scope, note('secret', { idempotencyKey: 'k' }))
    const { id } = memory.state
    await appendOne(writer, scope, note('neighbour'))
    await eraseEvents(database, scope.projectId, [1])

    const [erased, neighbour] = await readJournal(scope, { after: 0, limit: 10 })
    const { eventId, hash, recordedAt } = event as NonNullable<typeof event>
    const envelope = {
      eventId,
      hash,
      recordedAt,
      type: 'MemoryRemembered',
      version: 1,
      memoryId: id,
      sequence: 1,
    }
    expect(erased).toMatchObject({ status: 'erased', sequence: 1, memoryId: id, envelope, event: null })
    expect(JSON.stringify(erased)).not.toContain('secret')
    expect(neighbour).toMatchObject({ status: 'readable', event: { sequence: 2 } })
    const gone = { error: expect.objectContaining({ code: 'NOT_FOUND' }) }
    expect(
      await writer.appendMany(scope, [
        revision(id, 'more'),
        forgetting(id),
        restoring(id),
        restoring(id, 1),
        // A late retry must not bring back what was erased.
        note('secret', { idempotencyKey: 'k' }),
      ]),
    ).toEqual([gone, gone, gone, gone, gone])
    expect(await readHead(scope)).toBe(2)
  })

  it('lets an event that cannot be read stop the requests about its memory and no others', async () => {
    const scope = await database.newProject()
    const { memory } = await appendOne(writer, scope, note('sound'))
    const { id } = memory.state
    await writeOddEvent(scope, { memoryId: id, version: 2, schemaVersion: 99 })
    const outcomes = await writer.appendMany(scope, [
      note('neighbour'),
      revision(id, 'more'),
      restoring(id, 1),
      note('another neighbour'),
    ])
    const corrupt = { error: expect.objectContaining({ code: 'CORRUPT_EVENT' }) }
    const written = { appended: expect.objectContaining({ duplicate: false }) }
    expect(outcomes).toEqual([written, corrupt, corrupt, written])
    expect(await readHead(scope)).toBe(4)
    expect(await readMemoryEvents(scope, id, { limit: 10 })).toEqual([
      expect.objectContaining({ status: 'readable' }),
      expect.objectContaining({
        status: 'opaque',
        error: expect.objectContaining({ code: 'CORRUPT_EVENT' }),
      }),
    ])
  })
})

describe.each(TEST_DATABASES)('the journal on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database.stop())

  it.each([
    ['changed', sql`update events set data = '{}'`],
    ['changed in one row', sql`update events set actor = 'x' where sequence = 1`],
    ['removed', sql`delete from events`],
    ['emptied', sql`truncate events`],
    [
      'upserted',
      sql`insert into events (project_id, sequence, event_id) select project_id, sequence, event_id from events
        on conflict (event_id) do update set actor = 'x'`,
    ],
    ['dropped', sql`drop table events`],
    ['altered', sql`alter table events add column x int`],
    ['unkeyed', sql`delete from idempotency_keys`],
    ['without its head', sql`delete from journal_heads`],
    ['without its projects', sql`delete from projects`],
  ])('cannot be %s by the application: the database refuses', async (_, statement) => {
    const scope = await database.newProject()
    await appendOne(
      createJournalWriter(() => {}),
      scope,
      note('kept'),
    )
    await expect(statement.execute(database.db)).rejects.toMatchObject({ code: '42501' })
    expect(await readJournal(scope, { after: 0, limit: 10 })).toHaveLength(1)
  })

  it('is written by a role that is neither a superuser nor an owner of anything', async () => {
    const { rows } = await sql<{ role: string; super: boolean; owned: number }>`
      select current_user as role, rolsuper as super,
        (select count(*)::int from pg_class where relowner = r.oid) as owned
      from pg_roles r where rolname = current_user`.execute(database.db)
    expect(rows).toEqual([{ role: 'daybook_app', super: false, owned: 0 }])
  })
})
