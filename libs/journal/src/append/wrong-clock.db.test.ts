import type { ProjectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { createLogger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { verifyJournal } from '../chain/verify-journal.ts'
import { importJournal } from '../import/import-journal.ts'
import { readJournal } from '../read/read.ts'
import { readable } from '../read/stored-event.ts'
import { bytesOf, exported } from '../testing/exports.ts'
import { note, revision } from '../testing/requests.ts'
import { appendOne, createJournalWriter } from './journal-writer.ts'

const FAR = '2099-01-01T00:00:00.000Z'

describe.each(TEST_DATABASES)('a clock that was wrong, on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  /** Sets the time of the last event, as if the database's clock had been there. */
  const lastRecordedAt = ({ projectId }: ProjectScope, moment: string) =>
    asOwner(database, (trx) =>
      sql`update daybook.journal_heads set last_recorded_at = ${moment} where project_id = ${projectId}`.execute(
        trx,
      ),
    )

  function watchedWriter() {
    const logger = createLogger('test', 'warn')
    const warned = vi.spyOn(logger, 'warn').mockImplementation(() => {})
    const timesSetBack = vi.fn<() => void>()
    return {
      writer: createJournalWriter(() => {}, { appended() {}, timesSetBack }, logger),
      warned,
      timesSetBack,
    }
  }

  async function times(scope: ProjectScope): Promise<string[]> {
    const records = await readJournal(scope, { after: 0, limit: 1_000 })
    return records.map((record) => readable(record).recordedAt)
  }
  const isNow = (moment: string | undefined) => Math.abs(Date.parse(moment ?? '') - Date.now()) < 3_600_000

  it('after a jump ahead the next event gets the real time, and one warning says so', async () => {
    const scope = await database.newProject()
    const { writer, warned, timesSetBack } = watchedWriter()
    const { memory } = await appendOne(writer, scope, note('one'))
    await lastRecordedAt(scope, FAR)
    const { memory: revised } = await appendOne(writer, scope, revision(memory.state.id, 'two'))
    await appendOne(writer, scope, note('three'))
    const [first, second, third] = await times(scope)
    expect(isNow(second)).toBe(true)
    expect([first, second, third]).toEqual([first, second, third].toSorted())
    expect(revised).toMatchObject({ sequence: 2, state: { createdAt: first, updatedAt: second } })
    expect(timesSetBack).toHaveBeenCalledTimes(1)
    expect(warned.mock.calls).toEqual([
      [
        { projectId: scope.projectId, lastRecordedAt: FAR, recordedAt: second, sequence: 2 },
        expect.stringContaining("New events get the clock's time"),
      ],
    ])
  })

  it('a request that changes nothing moves no time and causes no warning', async () => {
    const scope = await database.newProject()
    const { writer, warned } = watchedWriter()
    const { memory } = await appendOne(writer, scope, note('one'))
    await lastRecordedAt(scope, FAR)
    await appendOne(writer, scope, revision(memory.state.id, 'one', { idempotencyKey: 'changes nothing' }))
    expect(warned).not.toHaveBeenCalled()
    await appendOne(writer, scope, note('two'))
    expect(warned).toHaveBeenCalledTimes(1)
  })

  it('times stay in order where the clock goes back by seconds', async () => {
    const scope = await database.newProject()
    const { writer, warned, timesSetBack } = watchedWriter()
    const ahead = new Date(Date.now() + 45_000).toISOString()
    await lastRecordedAt(scope, ahead)
    for (const text of ['a', 'b', 'c']) await appendOne(writer, scope, note(text))
    const recorded = await times(scope)
    expect([ahead, ...recorded]).toEqual([ahead, ...recorded].toSorted())
    expect(warned).not.toHaveBeenCalled()
    expect(timesSetBack).not.toHaveBeenCalled()
  })

  it('events whose times go back verify, and are exported and imported as they are', async () => {
    const source = await database.newProject()
    const { writer } = watchedWriter()
    await appendOne(writer, source, note('before'))
    await lastRecordedAt(source, new Date(Date.now() + 50_000).toISOString())
    await appendOne(writer, source, note('ahead'))
    // Recorded times stay, although the clock has gone back by more than the tolerance.
    await lastRecordedAt(source, FAR)
    await appendOne(writer, source, note('after'))
    const recorded = await times(source)
    expect(recorded[2]?.localeCompare(recorded[1] ?? '')).toBe(-1)
    expect(await verifyJournal(source)).toMatchObject({ events: 3, problems: 0 })

    const text = await exported(database.db, [source.projectId])
    await asOwner(database, async (trx) => {
      for (const table of ['events', 'idempotency_keys', 'journal_heads'])
        await sql`delete from daybook.${sql.raw(table)} where project_id = ${source.projectId}`.execute(trx)
      await sql`delete from daybook.projects where id = ${source.projectId}`.execute(trx)
    })
    await importJournal(database.db, bytesOf(text))
    expect(await times(source)).toEqual(recorded)
    expect(await exported(database.db, [source.projectId])).toBe(text)
  })
})
