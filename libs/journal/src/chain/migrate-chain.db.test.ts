import { up as addHashes } from '@daybook/postgres/migrations/0007-hash-chain'
import { up as saltHashes } from '@daybook/postgres/migrations/0013-salted-hashes'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJournalWriter } from '../append/journal-writer.ts'
import { note, revision } from '../testing/requests.ts'
import { readChain } from './read-chain.ts'
import { verifyJournal } from './verify-journal.ts'

describe.each(TEST_DATABASES)('migrating a journal on $name', ({ start }) => {
  let database: TestDatabase
  const writer = createJournalWriter(() => {})
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  /** Reverts the tables to the state before a migration, and applies it, or all from it on, by itself. */
  const migrate = (migrations: (typeof addHashes)[], beforeSalts?: (trx: Transaction) => Promise<unknown>) =>
    asOwner(database, async (trx) => {
      await sql`drop index daybook.events_erased`.execute(trx)
      await sql`
        alter table daybook.events drop constraint erased_with_salt, drop column data_salt,
          drop column data_hash, drop column hash`.execute(trx)
      await sql`alter table daybook.journal_heads drop column hash`.execute(trx)
      await sql`drop index daybook.idempotency_keys_of_version`.execute(trx)
      await sql`drop function daybook.replace_empty_project`.execute(trx)
      for (const up of migrations) {
        if (up === saltHashes) await beforeSalts?.(trx)
        await up(trx as unknown as Parameters<typeof up>[0])
      }
      // The column is a new one now, so the grant of a later migration went with the old one.
      await sql`grant update (hash) on daybook.journal_heads to daybook_app`.execute(trx)
    })
  type Transaction = Parameters<Parameters<typeof asOwner>[1]>[0]

  const contents = async (scope: ProjectScope) =>
    (await readChain(scope, { after: 0, upTo: 1_000, limit: 1_000 })).map((event) => ({
      ...event,
      dataSalt: null,
      dataHash: null,
      hash: null,
    }))
  const problems = async (scope: ProjectScope) => {
    const found: (string | number)[][] = []
    await verifyJournal(scope, { onProblem: ({ kind, sequence }) => void found.push([kind, sequence]) })
    return found
  }

  it('gives the events that are already there salts and hashes, whether they had hashes or not', async () => {
    const scope = await database.newProject()
    const small = await database.newProject()
    await database.newProject()
    const { memory } = await writer.append(scope, note('first', { idempotencyKey: 'key' }))
    const metadata = { big: 1e21, 10: 'ten', 2: 'two' }
    const many = Array.from({ length: 750 }, (_, index) => revision(memory.state.id, `text ${index}`))
    many[7] = {
      ...revision(memory.state.id, ''),
      command: { type: 'revise', id: memory.state.id, input: { metadata } },
    }
    await writer.appendMany(scope, many)
    await writer.append(small, note('small'))
    const before = await contents(scope)
    expect(before).toHaveLength(751)

    await migrate([addHashes, saltHashes])
    expect(await contents(scope)).toEqual(before)
    expect(await verifyJournal(scope)).toMatchObject({ events: 751, erased: 0, problems: 0 })
    expect(await verifyJournal(small)).toMatchObject({ events: 1, problems: 0 })
    const chain = await readChain(scope, { after: 0, upTo: 1_000, limit: 1_000 })
    expect(new Set(chain.map(({ dataSalt }) => dataSalt)).size).toBe(751)
    await writer.append(scope, note('after'))
    expect(await verifyJournal(scope)).toMatchObject({ events: 752, problems: 0 })
  })

  it('hides no change that the old hashes show', async () => {
    const tampered = Array.from({ length: 4 }, () => database.newProject())
    const [data, row, cut, sound] = (await Promise.all(tampered)) as [
      ProjectScope,
      ProjectScope,
      ProjectScope,
      ProjectScope,
    ]
    for (const scope of [data, row, cut, sound])
      await writer.appendMany(
        scope,
        ['a', 'b', 'c', 'd'].map((text) => note(text)),
      )
    await migrate([addHashes, saltHashes], async (trx) => {
      await sql`update daybook.events set data = '{"other": 1}' where project_id = ${data.projectId} and sequence = 2`.execute(
        trx,
      )
      await sql`update daybook.events set actor = 'another' where project_id = ${row.projectId} and sequence = 2`.execute(
        trx,
      )
      await sql`delete from daybook.events where project_id = ${cut.projectId} and sequence = 4`.execute(trx)
      await sql`update daybook.journal_heads set sequence = 3 where project_id = ${cut.projectId}`.execute(
        trx,
      )
    })
    expect(await problems(data)).toEqual([['data-changed', 2]])
    expect(await problems(row)).toEqual([['row-changed', 2]])
    expect(await problems(cut)).toEqual([['head-differs', 3]])
    expect(await problems(sound)).toEqual([])
  })
})
