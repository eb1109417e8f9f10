import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needing } from '@daybook/runtime/testing/needing'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { openDatabase, serverAddress } from './connect.ts'
import { isReachable, migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { copyEmptyCluster } from './testing/embedded-template.ts'
import {
  createNativeDatabase,
  type NativeDatabase,
  POSTGRES,
  TEST_DATABASES,
} from './testing/test-database.ts'

const ALL = Object.keys(MIGRATIONS)

describe.each(TEST_DATABASES)('migrating $name', ({ start }) => {
  it('a second time finds nothing to do', async () => {
    const database = await start()
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`
      .execute(openOwner(database.address))
      .finally(closeAll)
    expect(rows.map((row) => row.name)).toEqual(ALL)
    await database.db.destroy()
    expect(await migrate(database.address)).toEqual([])
    await database.stop()
  })
})

const opened: ReturnType<typeof openDatabase>[] = []
function openOwner(address: Parameters<typeof openDatabase>[0]) {
  const db = openDatabase(address, { role: null })
  opened.push(db)
  return db
}
async function closeAll() {
  await Promise.all(opened.splice(0).map((db) => db.destroy()))
}

needing(POSTGRES).describe('migrating an empty database on native Postgres', () => {
  let database: NativeDatabase | undefined
  const roles: string[] = []
  afterEach(async () => {
    await closeAll()
    await database?.drop()
    for (const role of roles.splice(0)) await database?.maintain(`drop owned by ${role}; drop role ${role}`)
    database = undefined
  })
  const empty = async () => {
    database = await createNativeDatabase()
    return database
  }

  /** Makes a role without superuser rights the database's owner, and returns the address as that role. */
  async function ownedBy({ name, url, maintain }: NativeDatabase, rights: string) {
    const role = `${name}_owner`
    roles.push(role)
    await maintain(`create role ${role} login password 'secret' ${rights}`)
    await maintain(`alter database ${name} owner to ${role}`)
    const address = new URL(url)
    address.username = role
    address.password = 'secret'
    const asSuperuser = async (statement: string) => {
      const client = new Client({ connectionString: url })
      await client.connect()
      await client.query(statement).finally(() => client.end())
    }
    return { role, address: serverAddress(address.href), asSuperuser }
  }

  it('from several sides at once does each migration once', async () => {
    const address = serverAddress((await empty()).url)
    const applied = await Promise.all([migrate(address), migrate(address), migrate(address)])
    expect(applied.flat().toSorted()).toEqual(ALL)
  })

  it('from two processes at once does each migration once', async () => {
    const { url } = await empty()
    const script = `
      const { migrate } = await import('${new URL('./migrate.ts', import.meta.url).href}')
      const { serverAddress } = await import('${new URL('./connect.ts', import.meta.url).href}')
      console.log(JSON.stringify(await migrate(serverAddress('${url}'))))`
    const loader = import.meta.resolve('tsx')
    const runs = [1, 2].map(() =>
      promisify(execFile)(process.execPath, ['--import', loader, '--input-type=module', '--eval', script]),
    )
    const applied = (await Promise.all(runs)).flatMap(({ stdout }) => JSON.parse(stdout) as string[])
    expect(applied.toSorted()).toEqual(ALL)
  })

  it('of several databases of one server at once works, though roles belong to the server', async () => {
    const databases = await Promise.all([1, 2, 3].map(() => createNativeDatabase()))
    const applied = await Promise.all(databases.map(({ url }) => migrate(serverAddress(url))))
    expect(applied).toEqual([ALL, ALL, ALL])
    await Promise.all(databases.map(({ drop }) => drop()))
  })

  it('as a user who may make nothing says what a superuser has to do, and then works', async () => {
    const { address, asSuperuser, role } = await ownedBy(await empty(), '')
    await expect(migrate(address)).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringMatching(/pgvector[^]*let a superuser run: create extension vector/),
    })
    await asSuperuser('create extension vector')
    // Another database of this server may have made the role already.
    for (const made of ['daybook_app', 'daybook_indexer'])
      await asSuperuser(
        `do $$ begin create role ${made} nologin; exception when duplicate_object then null; end $$`,
      )
    await expect(migrate(address)).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('grant daybook_app to the user of DATABASE_URL'),
    })
    await asSuperuser(`grant daybook_app, daybook_indexer to ${role}`)
    expect(await migrate(address)).toEqual(ALL)
    const { rows } = await sql`select current_user as role`.execute(openDatabaseOf(address))
    expect(rows).toEqual([{ role: 'daybook_app' }])
  })

  const openDatabaseOf = (address: Parameters<typeof openDatabase>[0]) => {
    const db = openDatabase(address)
    opened.push(db)
    return db
  }

  it('as a user who may make roles grants itself what it needs', async () => {
    const { address, asSuperuser } = await ownedBy(await empty(), 'createrole')
    await asSuperuser('create extension vector')
    expect(await migrate(address)).toEqual(ALL)
    expect(await isReachable(openDatabaseOf(address) as never)).toBe(true)
  })

  it('with a pgvector that is too old says which one is needed', async () => {
    const { url } = await empty()
    const db = openOwner(serverAddress(url))
    await migrate(serverAddress(url))
    await sql`update pg_extension set extversion = '0.7.4' where extname = 'vector'`.execute(db)
    await expect(migrate(serverAddress(url))).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringMatching(/0\.7\.4 is too old: Daybook needs 0\.8\.0 or newer/),
    })
    await sql`update pg_extension set extversion = '0.10.0' where extname = 'vector'`.execute(db)
    expect(await migrate(serverAddress(url))).toEqual([])
  })

  it('that fails half-way leaves nothing behind', async () => {
    const { url } = await empty()
    const db = openOwner(serverAddress(url))
    await migrate(serverAddress(url))
    await sql`drop schema daybook cascade`.execute(db)
    // The last migration cannot make its table, because a view has that name.
    await sql`create schema daybook`.execute(db)
    await sql`create view daybook.memory_access as select 1 as one`.execute(db)
    await expect(migrate(serverAddress(url))).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('could not be migrated'),
    })
    const { rows } = await sql`select to_regclass('daybook.projects') as projects`.execute(db)
    expect(rows).toEqual([{ projects: null }])
    await sql`drop view daybook.memory_access`.execute(db)
    expect(await migrate(serverAddress(url))).toEqual(ALL)
  })

  it('from before the baseline says how to move, and changes nothing', async () => {
    const { url } = await empty()
    const db = openOwner(serverAddress(url))
    await migrate(serverAddress(url))
    await sql`update daybook.kysely_migration set name = '0001-journal' where name = ${ALL[0]}`.execute(db)
    await expect(migrate(serverAddress(url))).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringMatching(/daybook export .* empty .* daybook import/u),
    })
    const { rows } = await sql`select name from daybook.kysely_migration order by name`.execute(db)
    expect(rows).toEqual(['0001-journal', ...ALL.slice(1)].map((name) => ({ name })))
  })
})

describe('migrating a Postgres without pgvector', () => {
  it('says what to install', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-test-'))
    // It would make an empty cluster itself in 8 s of CPU time.
    await copyEmptyCluster(folder)
    const database = await PGlite.create(join(folder, 'postgres'))
    const server = new PGLiteSocketServer({ db: database, path: join(folder, '.s.PGSQL.5432') })
    await server.start()
    const connection = { host: folder, port: 5432, user: 'postgres', database: 'postgres' }
    await expect(migrate({ connection, maxConnections: 1, ownSessions: false })).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('Install pgvector 0.8.0 or newer on the database server'),
    })
    await server.stop()
    await database.close()
    rmSync(folder, { recursive: true })
  })
})
