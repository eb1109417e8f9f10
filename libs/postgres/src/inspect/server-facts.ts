import { sql } from 'kysely'
import { isAheadOfClock } from '../clock.ts'
import type { Database, Queryable } from '../connect.ts'
import { MIGRATIONS } from '../migrations/index.ts'

/** What an operator wants to know about a database server. */
export interface ServerFacts {
  /** How long the smallest query takes, in milliseconds. */
  readonly roundTripMs: number
  /** Such as `15.14`. */
  readonly version: string
  /** The version of pgvector, such as `0.8.7`. */
  readonly vectorVersion: string
  /** The size of the whole database: the journal, the read models and everything else in it. */
  readonly bytes: number
  /** Whether it takes no writes: the embedded one on a full disk, or a standby. */
  readonly onlyReads: boolean
}

/** Reads the facts, with two queries. */
export async function readServerFacts(db: Database): Promise<ServerFacts> {
  const startedAt = performance.now()
  await sql`select 1`.execute(db)
  const roundTripMs = performance.now() - startedAt
  const { rows } = await sql<Omit<ServerFacts, 'roundTripMs'>>`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      (select extversion from pg_extension where extname = 'vector') as "vectorVersion",
      pg_database_size(current_database()) as bytes,
      current_setting('transaction_read_only')::boolean as "onlyReads"`.execute(db)
  const facts = rows[0]
  if (facts === undefined) throw new Error('the database returned no facts about itself')
  return { roundTripMs, ...facts }
}

/** The rights of the role that queries run as. All flags should be false. */
export interface ApplicationRights {
  readonly role: string
  /** If true, row level security does not bind it. */
  readonly isSuperuser: boolean
  /** If true, row level security may not bind it, and it may change the journal. */
  readonly ownsJournal: boolean
  /**
   * The role that the session logged in as, which `reset role` returns to, and whether it has an owner's
   * rights.
   */
  readonly login: string
  readonly loginOwnsJournal: boolean
  /** Should be false: the journal is append-only by its rights. */
  readonly mayChangeJournal: boolean
}

/** Reads the rights of the current role and login. */
export async function readApplicationRights(db: Database): Promise<ApplicationRights> {
  const { rows } = await sql<ApplicationRights>`
    select current_user::text as role,
      (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as "isSuperuser",
      (select pg_has_role(current_user, relowner, 'member') from pg_class
        where oid = 'daybook.events'::regclass) as "ownsJournal",
      session_user::text as login,
      (select pg_has_role(session_user, relowner, 'member') from pg_class
        where oid = 'daybook.events'::regclass) as "loginOwnsJournal",
      has_table_privilege('daybook.events', 'update, delete, truncate') as "mayChangeJournal"`.execute(db)
  const rights = rows[0]
  if (rights === undefined) throw new Error('the database returned no rights')
  return rights
}

/** How the database's migrations compare to those of this version of Daybook. */
export interface AppliedMigrations {
  /** Migrations of this version that were not applied. */
  readonly missing: readonly string[]
  /** Applied migrations that this version does not know: a newer one has run here. */
  readonly unknown: readonly string[]
}

/** Compares the applied migrations with this version's. */
export async function compareMigrations(db: Database): Promise<AppliedMigrations> {
  const rows = await db.selectFrom('kysely_migration').select('name').orderBy('name').execute()
  const applied = new Set(rows.map(({ name }) => name))
  return {
    missing: Object.keys(MIGRATIONS).filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !Object.hasOwn(MIGRATIONS, name)),
  }
}

/** How the database's clock compares to this process's clock and to the journals. */
export interface ClockFacts {
  /**
   * How far the database's clock is ahead of this process's at least, in milliseconds; negative if behind.
   */
  readonly aheadMs: number
  /** Projects whose last event has a time that the database's clock has not reached. */
  readonly futureProjects: number
  /** The project with the latest such time; null if there is none. */
  readonly latest: { readonly name: string; readonly recordedAt: string } | null
}

interface FutureProject {
  /** The number of all such projects. */
  readonly count: number
  readonly name: string
  readonly recordedAt: string
}

/** Reads the clock facts; looks at one row per project. */
export async function readClock(db: Database): Promise<ClockFacts> {
  const before = Date.now()
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db)
  const after = Date.now()
  const clock = Date.parse(rows[0]?.now ?? '')
  const { rows: future } = await sql<FutureProject>`
    select count(*) over () as count, p.name, head.last_recorded_at as "recordedAt"
    from journal_heads head join projects p on p.id = head.project_id
    where ${isAheadOfClock(sql`head.last_recorded_at`)}
    order by head.last_recorded_at desc limit 1`.execute(db)
  const [latest] = future
  return {
    // The database read its clock somewhere between the two.
    aheadMs: Math.max(0, clock - after) + Math.min(0, clock - before),
    futureProjects: latest?.count ?? 0,
    latest: latest === undefined ? null : { name: latest.name, recordedAt: latest.recordedAt },
  }
}

/** What a database server promises about a commit that it has confirmed. */
export interface Durability {
  /** Whether it waits for the disk at all. */
  readonly fsync: boolean
  /** The setting in the application's sessions: `on`, `off`, `local`, `remote_write` or `remote_apply`. */
  readonly synchronousCommit: string
  /** Replicas that get its changes now. */
  readonly standbys: number
  /** How many of them commits do not wait for; null if the application's role may not see that. */
  readonly asynchronous: number | null
}

/** How safe a confirmed commit is, as far as the application's role may see. */
export async function readDurability(db: Queryable): Promise<Durability> {
  const { rows } = await sql<Durability>`
    select current_setting('fsync') = 'on' as fsync, current_setting('synchronous_commit') as "synchronousCommit",
      count(standby.pid) as standbys,
      case when count(standby.pid) = count(standby.sync_state)
        then count(*) filter (where standby.sync_state in ('async', 'potential')) end as asynchronous
    from (select) one left join pg_stat_replication standby on true`.execute(db)
  const [facts] = rows
  if (facts === undefined) throw new Error('the database returned no facts about itself')
  return facts
}

/**
 * Makes the database write some 3 MB to its disk and discard them, with a sort that does not fit into its
 * memory limit. On a full disk, reads still work and a small row still finds room in a page, so neither would
 * show it.
 * @throws whatever the database says about its disk: see `isDiskFull`
 */
export async function probeDisk(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local work_mem = '64kB'`.execute(trx)
    await sql`select max(place) from (
      select row_number() over (order by md5(n::text)) as place, repeat('x', 100) as filler
      from generate_series(1, 20000) n) sorted`.execute(trx)
  })
}
