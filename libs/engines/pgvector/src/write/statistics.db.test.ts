import { eraseMemories } from '@daybook/journal/erase/erase-contents'
import { NOBODY } from '@daybook/journal/testing/requests'
import { newId } from '@daybook/memory/id'
import { note } from '@daybook/memory/testing/commands'
import { openDatabase } from '@daybook/postgres/connect'
import { clearFreeSpace } from '@daybook/postgres/embedded/maintain-tables'
import { KEPT_STATISTICS } from '@daybook/postgres/statistics'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReadModelHarness, startReadModelHarness } from '../testing/read-model-harness.ts'

const MEMORIES = 40

describe.each(TEST_DATABASES)('planner statistics on $name', ({ start }) => {
  let harness: ReadModelHarness
  beforeAll(async () => {
    harness = await startReadModelHarness({ start }, { dimension: 8 })
  })
  afterAll(() => harness?.stop())

  const owner = <T>(work: (db: Kysely<unknown>) => Promise<T>) =>
    asOwner(harness, (trx) => work(trx as unknown as Kysely<unknown>))
  const schemas = () => sql.join(['daybook', harness.readModel.tables.schema].map((name) => sql.lit(name)))

  const analyze = () =>
    owner(async (db) => {
      const { rows } = await sql<{ name: string }>`
        select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in (${schemas()})`.execute(
        db,
      )
      for (const { name } of rows) await sql`analyze ${sql.raw(name)}`.execute(db)
    })
  /** The columns whose statistics have the text, or its bytes. */
  const columnsWith = (text: string) =>
    owner(async (db) => {
      const { rows } = await sql<{ name: string }>`
        select distinct tablename || '.' || attname as name from pg_stats s
        where schemaname in (${schemas()}) and (s::text like ${`%${text}%`} or s::text like ${`%${Buffer.from(text).toString('hex')}%`})
        order by 1`.execute(db)
      return rows.map(({ name }) => name)
    })
  /** Remembers memories whose every part has the text. */
  const fill = async (text: string) => {
    const scope = await harness.newProject()
    const inputs = Array.from({ length: MEMORIES }, (_, at) =>
      note(`${text}, number ${at % 7}`, { context: text, labels: [text], metadata: { about: text } }),
    )
    return { scope, memories: await harness.remember(scope, ...inputs) }
  }
  /** As a daemon does on the embedded database, and as docs/security.md says for a server. */
  const clear = async () => {
    if (!harness.address.ownSessions) {
      await owner((db) =>
        // As `prepare.ts` gives it.
        sql`
          grant pg_maintain, pg_checkpoint to daybook_app; grant execute on function pg_switch_wal() to daybook_app;
          update daybook.free_space set erased_at = now()`.execute(db),
      )
      await clearFreeSpace(harness.db)
      return
    }
    const db = openDatabase(harness.address, { role: null })
    try {
      await sql`delete from pg_statistic where starelid in (
        select oid from pg_class where relnamespace::regnamespace::text in (${schemas()}))`.execute(db)
      await sql`vacuum (full, analyze)`.execute(db)
      await sql`vacuum full pg_statistic`.execute(db)
    } finally {
      await db.destroy()
    }
  }

  it('are gathered of no column that may have something of a memory, but of those that plans need', async () => {
    const { rows } = await owner((db) =>
      sql<{ name: string; column: string }>`
        select c.relname || '.' || attname as name, attname as column
        from pg_attribute a join pg_class c on c.oid = attrelid join pg_type t on t.oid = atttypid
        where relkind in ('r', 'p', 'm') and relnamespace::regnamespace::text in (${schemas()})
          and attnum > 0 and not attisdropped and attstattarget is distinct from 0
          and typcategory not in ('B', 'D', 'N', 'T') and typname not in ('uuid', '_uuid') order by 1`.execute(
        db,
      ),
    )
    expect(rows.filter(({ column }) => !(column in KEPT_STATISTICS)).map(({ name }) => name)).toEqual([])
    // The list has nothing that is not there any more.
    expect(new Set(rows.map(({ column }) => column))).toEqual(new Set(Object.keys(KEPT_STATISTICS)))
    // Those of an expression in an index would be the index's own.
    const { rows: expressions } = await owner((db) =>
      sql`
        select indexrelid::regclass::text from pg_index join pg_class c on c.oid = indrelid
        where indexprs is not null and relnamespace::regnamespace::text in (${schemas()})`.execute(db),
    )
    expect(expressions).toEqual([])
  })

  it('have nothing of a memory after it was erased, though the tables were analyzed before', async () => {
    const text = `zq${newId().slice(-8)}x`
    const { scope, memories } = await fill(text)
    await analyze()
    const lexemes = ['postings.lexeme']
    expect(await columnsWith(text)).toEqual(['memories.context', ...lexemes])
    const { contents } = await eraseMemories(
      scope,
      memories.map(({ state }) => state.id),
      NOBODY,
    )
    expect(contents).toBe(MEMORIES)
    await harness.apply(scope)
    expect(await columnsWith(text)).not.toEqual([])
    await clear()
    expect(await columnsWith(text)).toEqual([])
  })
})
