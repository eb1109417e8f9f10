import { CHAIN_START, hashData } from '@daybook/memory/event-hash'
import { newId } from '@daybook/memory/id'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendOne, createJournalWriter } from '../append/journal-writer.ts'
import { eraseEvents } from '../testing/erase.ts'
import { exported } from '../testing/exports.ts'
import { forgetting, note, restoring, revision } from '../testing/requests.ts'
import { type ChainedEvent, chainEvents, type JournalProblem, type UnchainedEvent } from './check-chain.ts'
import { readChain, readHash } from './read-chain.ts'
import { type VerifyOptions, verifyJournal } from './verify-journal.ts'

async function verify(scope: ProjectScope, options: VerifyOptions = {}) {
  const problems: JournalProblem[] = []
  const result = await verifyJournal(scope, {
    ...options,
    onProblem: (problem) => void problems.push(problem),
  })
  expect(result.problems).toBe(problems.length)
  return { ...result, problems: problems.map(({ kind, sequence, through }) => [kind, sequence, through]) }
}

describe.each(TEST_DATABASES)('the hash chain on $name', ({ start }) => {
  let database: TestDatabase
  const writer = createJournalWriter(() => {})
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database.stop())

  /** A journal of ten events about nine memories. */
  async function journal(): Promise<ProjectScope> {
    const scope = await database.newProject()
    const { memory } = await appendOne(writer, scope, note('first'))
    for (let number = 2; number <= 9; number += 1) await appendOne(writer, scope, note(`note ${number}`))
    await appendOne(writer, scope, forgetting(memory.state.id))
    return scope
  }

  const tamper = (statement: RawBuilder<unknown>) =>
    asOwner(database, async (trx) => {
      await statement.execute(trx)
    })

  it('is sound with an id that a follower once sent in upper case, through revisions, exports and erasures', async () => {
    const scope = await journal()
    const id = newId()
    // Not decoded, as followers' commands were not.
    const { command, ...rest } = note('upper case')
    await appendOne(writer, scope, { ...rest, command: { ...command, id: id.toUpperCase() } })
    await appendOne(writer, scope, revision(id, 'later'))
    await appendOne(writer, scope, note('after it'))
    const [event] = await readChain(scope, { after: 10, upTo: 11, limit: 1 })
    expect(event).toMatchObject({ memoryId: id, data: { state: { id: id.toUpperCase() } } })
    expect(await verify(scope)).toMatchObject({ events: 13, problems: [] })
    expect(await exported(database.db, [scope.projectId])).toContain(id)
    await tamper(sql`
      update daybook.events set memory_id = ${newId()} where project_id = ${scope.projectId} and sequence = 11`)
    expect(await verify(scope)).toMatchObject({ problems: [['row-changed', 11, 11]] })
    await tamper(sql`
      update daybook.events set memory_id = ${id} where project_id = ${scope.projectId} and sequence = 11`)
    await eraseEvents(database, scope.projectId, [11, 12])
    expect(await verify(scope)).toMatchObject({ erased: 2, problems: [] })
  })

  it('is sound whatever was appended, and by however many at once', async () => {
    const scope = await database.newProject()
    const writers = [writer, createJournalWriter(() => {}), createJournalWriter(() => {})]
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        appendOne(
          writers[index % 3] ?? writer,
          scope,
          note(`note ${index}`, { idempotencyKey: `key ${index}` }),
        ),
      ),
    )
    const ids = made.map(({ memory }) => memory.state.id)
    await Promise.all(
      ids.flatMap((id, index) => [
        appendOne(writers[index % 2]!, scope, revision(id, `revised ${index}`)),
        writers[1]?.appendMany(scope, [forgetting(id), restoring(id), forgetting(newId())]),
      ]),
    )
    const { events, problems, sequence, hash } = await verify(scope, { pageEvents: 7 })
    expect(problems).toEqual([])
    expect(events).toBe(sequence)
    expect(sequence).toBeGreaterThanOrEqual(180)
    expect(await readHash(scope, sequence)).toEqual(hash)
  })

  it('is sound for values that databases like to spell in their own way', async () => {
    const scope = await database.newProject()
    const metadata = {
      numbers: [1e21, 1e-7, 5e-324, 1.7976931348623157e308, 0.1, -0, 2 ** 53 + 2, 1.5e300],
      10: 'ten',
      2: 'two',
      '': { nested: [[], {}, null, true] },
      'a\u0001\u007f\u2028"\\/': 'é\u{1f600}\ufffd\ufeff',
    }
    const input = {
      content: { kind: 'note', fields: { text: 'tab\t and \r\n and \u001f' } },
      metadata,
      occurredAt: '0001-01-01T00:00:00Z',
      expiresAt: '9999-12-31T23:59:59.999+00:00',
    }
    await appendOne(writer, scope, {
      command: { type: 'remember', id: newId(), input },
      metadata: { actor: 'ä "quoted"', correlationId: '\\', causationId: '' },
    })
    expect(await verify(scope)).toMatchObject({ events: 1, problems: [] })
  })

  it('of an empty journal is its start', async () => {
    const scope = await database.newProject()
    expect(await verify(scope)).toEqual({
      sequence: 0,
      hash: CHAIN_START,
      events: 0,
      erased: 0,
      problems: [],
    })
  })

  const statements: [string, (projectId: string) => RawBuilder<unknown>, (string | number)[][]][] = [
    [
      'changed data',
      (id) => sql`
        update daybook.events set data = jsonb_set(data, '{state,content,text}', '"another"')
        where project_id = ${id} and sequence = 4`,
      [['data-changed', 4, 4]],
    ],
    [
      'a changed actor',
      (id) =>
        sql`update daybook.events set actor = 'somebody else' where project_id = ${id} and sequence = 4`,
      [['row-changed', 4, 4]],
    ],
    [
      'a changed time',
      (id) => sql`
        update daybook.events set recorded_at = recorded_at + interval '1 millisecond'
        where project_id = ${id} and sequence = 10`,
      [['row-changed', 10, 10]],
    ],
    [
      'a time changed by less than a millisecond',
      (id) => sql`
        update daybook.events set recorded_at = recorded_at + interval '7 microseconds'
        where project_id = ${id} and sequence = 4`,
      [['row-changed', 4, 4]],
    ],
    [
      'another salt',
      (id) => sql`
        update daybook.events set data_salt = decode(repeat('07', 16), 'hex')
        where project_id = ${id} and sequence = 4`,
      [['data-changed', 4, 4]],
    ],
    [
      'a removed event',
      (id) => sql`delete from daybook.events where project_id = ${id} and sequence = 4`,
      [['missing', 4, 4]],
    ],
    [
      'several removed events',
      (id) => sql`delete from daybook.events where project_id = ${id} and sequence between 1 and 3`,
      [['missing', 1, 3]],
    ],
    [
      'a removed last event',
      (id) => sql`delete from daybook.events where project_id = ${id} and sequence = 10`,
      [['missing', 10, 10]],
    ],
    [
      'a removed last event, hidden in the head’s sequence',
      (id) => sql`
        with gone as (delete from daybook.events where project_id = ${id} and sequence = 10)
        update daybook.journal_heads set sequence = 9 where project_id = ${id}`,
      [['head-differs', 9, 9]],
    ],
    [
      'a head that is set back',
      (id) => sql`update daybook.journal_heads set sequence = 9 where project_id = ${id}`,
      [['head-differs', 9, 9]],
    ],
    [
      'two events with each other’s data, its salt and its hash',
      (id) => sql`
        update daybook.events one set data = other.data, data_salt = other.data_salt, data_hash = other.data_hash
        from daybook.events other where one.project_id = ${id} and other.project_id = ${id}
          and (one.sequence, other.sequence) in ((4, 5), (5, 4))`,
      [
        ['row-changed', 4, 4],
        ['chain-broken', 5, 5],
      ],
    ],
    [
      'an inserted event',
      (id) => sql`
        with head as (update daybook.journal_heads set sequence = 11 where project_id = ${id})
        insert into daybook.events
        select project_id, 11, ${newId()}, ${newId()}, 1, type, schema_version, data, recorded_at, actor, correlation_id,
          causation_id, traceparent, data_hash, hash, data_salt
        from daybook.events where project_id = ${id} and sequence = 10`,
      [['row-changed', 11, 11]],
    ],
  ]
  it.each(statements)('finds %s', async (_, statement, problems) => {
    const scope = await journal()
    expect((await verify(scope)).problems).toEqual([])
    await tamper(statement(scope.projectId))
    expect((await verify(scope)).problems).toEqual(problems)
    expect((await verify(scope, { pageEvents: 3 })).problems).toEqual(problems)
  })

  it('is sound where data and salt were erased, and still finds other changes there', async () => {
    const scope = await journal()
    const noted = await verifyJournal(scope)
    await eraseEvents(database, scope.projectId, [1, 4, 10])
    expect(await verify(scope)).toMatchObject({ events: 10, erased: 3, problems: [], hash: noted.hash })
    expect(await verify(scope, { from: noted })).toMatchObject({ problems: [] })
    await appendOne(writer, scope, note('after'))
    expect(await verify(scope)).toMatchObject({ events: 11, erased: 3, problems: [] })
    await tamper(sql`
      update daybook.events set type = 'MemoryForgotten' where project_id = ${scope.projectId} and sequence = 4`)
    expect((await verify(scope)).problems).toEqual([['row-changed', 4, 4]])
  })

  it('gives equal data different hashes, so that an erased short text cannot be guessed', async () => {
    // The same note at the same moment with the same id, in two projects.
    const id = newId()
    const events = await Promise.all(
      [1, 2].map(async () => {
        const scope = await database.newProject()
        await appendOne(writer, scope, { ...note('yes'), command: { ...note('yes').command, id } })
        const [event] = await readChain(scope, { after: 0, upTo: 1, limit: 1 })
        return event as NonNullable<typeof event>
      }),
    )
    const untimed = events.map(({ data }) =>
      JSON.stringify(data).replaceAll(/"\d{4}-\d\d-\d\dT[^"]+"/gu, '0'),
    )
    expect(untimed[0]).toBe(untimed[1])
    const at = (events[0] as ChainedEvent).data
    // Only the salts differ: with the other's salt, the data would have the other's hash.
    const [one, other] = events.map(({ dataSalt }) => hashData(dataSalt ?? '', at))
    expect(one).toBe(events[0]?.dataHash)
    expect(other).not.toBe(one)
    expect(hashData(events[0]?.dataSalt ?? '', events[1]?.data)).not.toBe(events[1]?.dataHash)
  })

  it('finds two swapped events', async () => {
    const scope = await journal()
    await asOwner(database, async (trx) => {
      const { projectId } = scope
      const move = (from: number, to: number) =>
        sql`update daybook.events set sequence = ${to} where project_id = ${projectId} and sequence = ${from}`.execute(
          trx,
        )
      await move(4, 1000)
      await move(6, 4)
      await move(1000, 6)
    })
    expect((await verify(scope)).problems).toEqual([
      ['row-changed', 4, 4],
      ['chain-broken', 5, 5],
      ['chain-broken', 6, 6],
      ['chain-broken', 7, 7],
    ])
  })

  it('made again from a changed event on is sound in itself, and found by a hash noted before', async () => {
    const scope = await journal()
    const noted = await verifyJournal(scope)
    await tamper(sql`
      update daybook.events set actor = 'somebody else' where project_id = ${scope.projectId} and sequence = 4`)
    await rehash(scope)
    expect((await verify(scope)).problems).toEqual([])
    expect((await verify(scope, { from: noted })).problems).toEqual([['head-differs', 10, 10]])
    const cutOff = { sequence: 11, hash: noted.hash }
    expect((await verify(scope, { from: cutOff })).problems).toEqual([['missing', 11, 11]])
  })

  /** What somebody could do with the owner's rights and this source. */
  async function rehash(scope: ProjectScope): Promise<void> {
    const events = await readChain(scope, { after: 0, upTo: 10, limit: 10 })
    await asOwner(database, async (trx) => {
      for (const { sequence, hash } of chainEvents(CHAIN_START, events as UnchainedEvent[])) {
        await sql`update daybook.events set hash = decode(${hash}, 'hex') where project_id = ${scope.projectId} and sequence = ${sequence}`.execute(
          trx,
        )
        await sql`update daybook.journal_heads set hash = decode(${hash}, 'hex') where project_id = ${scope.projectId}`.execute(
          trx,
        )
      }
    })
  }

  it('is checked on from where an earlier run was stopped', async () => {
    const scope = await journal()
    await tamper(sql`
      update daybook.events set actor = 'x' where project_id = ${scope.projectId} and sequence in (2, 8)`)
    const stop = new AbortController()
    const places: VerifyOptions['from'][] = []
    const stopped = verify(scope, {
      pageEvents: 5,
      signal: stop.signal,
      onProgress(place, upTo) {
        expect(upTo).toBe(10)
        places.push(place)
        stop.abort()
      },
    })
    await expect(stopped).rejects.toThrow(/abort/u)
    expect(places).toEqual([expect.objectContaining({ sequence: 5 })])
    const [from] = places
    const rest = await verify(scope, from === undefined ? {} : { from })
    expect(rest).toMatchObject({ events: 5, sequence: 10, problems: [['row-changed', 8, 8]] })
  })

  it('is checked up to the end that it has at the beginning, while appends go on', async () => {
    const scope = await journal()
    const result = await verify(scope, {
      pageEvents: 2,
      onProgress: async () => {
        await appendOne(writer, scope, note('meanwhile'))
      },
    })
    expect(result).toMatchObject({ sequence: 10, events: 10, problems: [] })
  })

  it('shows nothing of another project', async () => {
    const [one, other] = [await journal(), await database.newProject()]
    await tamper(sql`delete from daybook.events where project_id = ${one.projectId}`)
    expect((await verify(one)).problems).toEqual([['missing', 1, 10]])
    expect((await verify(other)).problems).toEqual([])
  })
})
