import { up } from '@daybook/postgres/migrations/0007-hash-chain'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createJournalWriter } from '../journal-writer.ts'
import { note, revision } from '../testing/requests.ts'
import { verifyJournal } from '../verify-journal.ts'
import { readChain } from './read-chain.ts'

describe.each(TEST_DATABASES)('migrating a journal on $name', ({ start }) => {
  it('that is there already gives it the hashes that it would have had from the beginning', async () => {
    const database = await start()
    const writer = createJournalWriter(() => {})
    const scope = await database.newProject()
    const small = await database.newProject()
    await database.newProject()
    const { memory } = await writer.append(scope, note('first', { idempotencyKey: 'key' }))
    const metadata = { big: 1e21, 10: 'ten', 2: 'two' }
    const many = Array.from({ length: 450 }, (_, index) => revision(memory.state.id, `text ${index}`))
    many[7] = {
      ...revision(memory.state.id, ''),
      command: { type: 'revise', id: memory.state.id, input: { metadata } },
    }
    await writer.appendMany(scope, many)
    await writer.append(small, note('small'))
    const before = await readChain(scope, { after: 0, upTo: 1_000, limit: 1_000 })
    expect(before).toHaveLength(451)

    await asOwner(database, async (trx) => {
      for (const statement of [
        sql`alter table daybook.events drop column data_hash, drop column hash`,
        sql`alter table daybook.journal_heads drop column hash`,
        sql`drop index daybook.idempotency_keys_of_version`,
        sql`drop function daybook.replace_empty_project`,
      ])
        await statement.execute(trx)
      // By itself: later migrations have been applied, and are not applied twice.
      await up(trx as unknown as Parameters<typeof up>[0])
    })
    expect(await readChain(scope, { after: 0, upTo: 1_000, limit: 1_000 })).toEqual(before)
    expect(await verifyJournal(scope)).toMatchObject({ events: 451, problems: 0 })
    expect(await verifyJournal(small)).toMatchObject({ events: 1, problems: 0 })
    await writer.append(scope, note('after'))
    expect(await verifyJournal(scope)).toMatchObject({ events: 452, problems: 0 })
    await database.stop()
  })
})
