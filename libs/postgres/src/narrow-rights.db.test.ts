import { newId } from '@daybook/memory/id'
import { needing } from '@daybook/runtime/testing/needing'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ensureProject } from './access/projects.ts'
import { type Database, EMBEDDED_LOGIN, openDatabase, serverAddress } from './connect.ts'
import { migrate } from './migrate.ts'
import { type ProjectScope, projectScope } from './project-scope.ts'
import { createNativeDatabase, POSTGRES, TEST_DATABASES, type TestDatabase } from './testing/test-database.ts'

const DENIED = { code: '42501' }

describe.each(TEST_DATABASES)('the application on $name', ({ start }) => {
  let database: TestDatabase
  let scope: ProjectScope
  beforeAll(async () => {
    database = await start()
    scope = await database.newProject()
  })
  afterAll(() => database?.stop())

  const run = (statement: string) => sql.raw(statement).execute(scope.db)
  const head = async () => {
    const { rows } = await sql<{ sequence: number }>`
      select sequence from journal_heads where project_id = ${scope.projectId}`.execute(scope.db)
    return rows[0]?.sequence
  }
  const insertEvent = (sequence: number) => `
    insert into events (project_id, sequence, event_id, memory_id, version, type, schema_version, data, recorded_at,
      data_salt, data_hash, hash)
    values ('${scope.projectId}', ${sequence}, '${newId()}', '${newId()}', 1, 'MemoryRemembered', 1, '{}', now(), decode(repeat('00', 16), 'hex'), '', '')`

  it('is refused to make, change or revoke keys', async () => {
    const key = `insert into api_keys (id, key_hash, name, admin) values ('${newId()}', 'x', 'mine', true)`
    for (const statement of [
      key,
      'update api_keys set admin = true',
      `update api_keys set scopes = '{admin}'`,
      'delete from api_keys',
      `insert into api_key_projects select id, '${scope.projectId}' from api_keys`,
      'delete from api_key_projects',
    ])
      await expect(run(statement)).rejects.toMatchObject(DENIED)
  })

  it('finds no hash of a key, with which it could make others, and may call nothing that does without one', async () => {
    const target = newId()
    for (const statement of [
      'select key_hash from api_keys',
      'select * from api_keys',
      `select make_api_key('\\x00', '${newId()}', '\\x01', 'dbk_', 'mine', '{admin}', null, null)`,
      `select make_api_key(null, '${newId()}', '\\x01', 'dbk_', 'mine', '{read}', '{${scope.projectId}}', null)`,
      `select require_administrator(null, false, '{}')`,
      `select require_administrator_of(null, '${target}')`,
    ])
      await expect(run(statement), statement).rejects.toMatchObject(DENIED)
  })

  it('is refused to lower a journal’s head, or to move it where no event is', async () => {
    await expect(run('update journal_heads set sequence = 1')).rejects.toMatchObject(DENIED)
    await run(`with e as (${insertEvent(1)}) update journal_heads set sequence = 1`)
    for (const sequence of [0, 2, -1])
      await expect(run(`update journal_heads set sequence = ${sequence}`)).rejects.toMatchObject(DENIED)
    const gap = `with e as (${insertEvent(3)}) update journal_heads set sequence = 3`
    await expect(run(gap)).rejects.toMatchObject(DENIED)
    expect(await head()).toBe(1)
    await run(`with e as (${insertEvent(2)}) update journal_heads set sequence = 2`)
    expect(await head()).toBe(2)
  })

  it('is refused to begin a journal elsewhere than at its beginning, to give it away or to remove it', async () => {
    for (const statement of [
      // Its own project, because row level security would refuse another one.
      `insert into journal_heads (project_id, sequence) values ('${scope.projectId}', 7)`,
      'update journal_heads set project_id = project_id',
      'delete from journal_heads',
      'alter table journal_heads disable trigger all',
      'drop trigger guard_journal_head on journal_heads',
    ])
      await expect(run(statement)).rejects.toMatchObject(DENIED)
  })

  it('and the owner are both bound by row level security', async () => {
    const { rows } = await sql<{ name: string }>`
      select oid::regclass::text as name from pg_class
      where relkind = 'r' and relrowsecurity and not relforcerowsecurity`.execute(database.db)
    expect(rows).toEqual([])
  })

  it('finds nothing of the journal as the role that owns the read model', async () => {
    await scope.db.connection().execute(async (db) => {
      await sql`set role daybook_indexer`.execute(db)
      for (const table of ['events', 'api_keys', 'journal_heads', 'embeddings'])
        await expect(sql`select from daybook.${sql.table(table)}`.execute(db)).rejects.toMatchObject(DENIED)
      await sql`set role daybook_app`.execute(db)
    })
  })
})

needing(POSTGRES).describe('a login of its own on native Postgres', () => {
  const ends: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  })

  /** A database that its owner migrates and another user uses. */
  async function withLogin(given?: string): Promise<{ db: Database; owner: string; reopen: () => Database }> {
    const { name, url, maintain, drop } = await createNativeDatabase()
    const login = given ?? `${name}_login`
    await maintain(`create role ${login} login password 'secret'`)
    const address = new URL(url)
    address.username = login
    address.password = 'secret'
    await migrate(serverAddress(url), login)
    ends.push(() => maintain(`drop role ${login}`), drop)
    const reopen = () => {
      const db = openDatabase(serverAddress(address.href, 1))
      ends.push(() => db.destroy())
      return db
    }
    return { db: reopen(), owner: 'postgres', reopen }
  }

  it('cannot become the owner, whatever it sets, and works', async () => {
    const { db, owner, reopen } = await withLogin()
    await db.connection().execute(async (session) => {
      for (const statement of [
        `set role ${owner}`,
        `set session authorization ${owner}`,
        'reset role',
        'set role none',
        'reset session authorization',
        'discard all',
      ]) {
        await sql
          .raw(statement)
          .execute(session)
          .catch((error: unknown) => expect(error).toMatchObject(DENIED))
        for (const forbidden of [
          'update daybook.events set actor = null',
          'delete from daybook.events',
          'update daybook.journal_heads set sequence = 9, project_id = project_id',
          'insert into daybook.api_keys (id, key_hash, name) select id, $$x$$, $$x$$ from daybook.projects',
          'select key_hash from daybook.api_keys',
          'alter table daybook.events disable row level security',
          'create table daybook.mine (n int)',
          'drop schema daybook cascade',
        ])
          await expect(
            sql.raw(forbidden).execute(session),
            `${statement}; ${forbidden}`,
          ).rejects.toMatchObject(DENIED)
      }
    })
    // A new connection, because the last statements cleared this one's settings.
    const again = reopen()
    const { db: mine } = projectScope(again, await ensureProject(again, 'mine'))
    expect((await sql`select name from projects`.execute(mine)).rows).toEqual([{ name: 'mine' }])
  })

  it('is bound to its projects even without the application’s role', async () => {
    const { db } = await withLogin()
    const one = projectScope(db, await ensureProject(db, 'one'))
    await ensureProject(db, 'other')
    await one.db.connection().execute(async (session) => {
      await sql`reset role`.execute(session)
      const { rows } = await sql`select name from projects`.execute(session)
      expect(rows).toEqual([{ name: 'one' }])
      await sql`set role daybook_app`.execute(session)
    })
  })

  it('may have the name that the docs give it, which is also the embedded one’s, and gets no right to maintain', async () => {
    const { db } = await withLogin(EMBEDDED_LOGIN)
    await ensureProject(db, 'mine')
    await expect(sql`checkpoint`.execute(db)).rejects.toMatchObject(DENIED)
    await expect(sql`select pg_switch_wal()`.execute(db)).rejects.toMatchObject(DENIED)
  })
})

describe('a login of its own on the embedded database', () => {
  it('is who `reset role` leads back to', async () => {
    const database = await TEST_DATABASES[0]?.start()
    if (database === undefined) throw new Error('there is no embedded database')
    await database.db.destroy()
    await migrate(database.address, EMBEDDED_LOGIN)
    const db = openDatabase(database.address, { login: EMBEDDED_LOGIN })
    await ensureProject(db, 'mine')
    for (const statement of ['reset role', 'set role none', 'reset session authorization']) {
      await sql.raw(statement).execute(db)
      const { rows } = await sql`select session_user::text as login`.execute(db)
      expect(rows, statement).toEqual([{ login: EMBEDDED_LOGIN }])
      await expect(sql`delete from daybook.events`.execute(db), statement).rejects.toMatchObject(DENIED)
    }
    await expect(sql`set role postgres`.execute(db)).rejects.toMatchObject(DENIED)
    await db.destroy()
    await database.stop()
  })
})
