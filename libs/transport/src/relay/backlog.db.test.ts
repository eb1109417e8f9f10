import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import type { RememberInput } from '@daybook/memory/commands'
import { newId } from '@daybook/memory/id'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readBacklog } from './backlog.ts'

describe.each(TEST_DATABASES)('the relay’s backlog on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('counts what is behind in projects that a relay knows, and tells how old it is', async () => {
    const { db } = database
    const [known, unknown] = [await database.newProject(), await database.newProject()]
    const input: RememberInput = { content: { kind: 'note', fields: { text: 'a note' } } }
    const metadata = { actor: null, correlationId: null, causationId: null }
    const writer = createJournalWriter(() => {})
    for (const scope of [known, unknown])
      for (let count = 0; count < 3; count += 1)
        await writer.append(scope, { command: { type: 'remember', id: newId(), input }, metadata })
    expect(await readBacklog(db)).toEqual({ events: 0, oldestMs: 0 })
    await sql`insert into relay_positions (project_id, published) values (${known.projectId}, 1)`.execute(db)
    const { events, oldestMs } = await readBacklog(db)
    expect(events).toBe(2)
    expect(oldestMs).toBeGreaterThan(0)
    // Events recorded while the clock was ahead do not hide how long others have waited.
    await asOwner(database, async (trx) => {
      const { projectId } = known
      await sql`update daybook.events set recorded_at = '2099-01-01' where project_id = ${projectId} and sequence = 2`.execute(
        trx,
      )
      await sql`update daybook.events set recorded_at = now() - interval '1 hour' where project_id = ${projectId} and sequence = 3`.execute(
        trx,
      )
    })
    const ahead = await readBacklog(db)
    expect(ahead.events).toBe(2)
    expect(ahead.oldestMs).toBeGreaterThan(3_000_000)
    await sql`update relay_positions set published = 3`.execute(db)
    expect(await readBacklog(db)).toEqual({ events: 0, oldestMs: 0 })
  })
})
