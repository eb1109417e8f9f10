import { check } from '@daybook/memory/check'
import { newId } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import { type SqlBool, sql } from 'kysely'
import type { Database } from '../connect.ts'
import type { ProjectScope } from '../project-scope.ts'

/**
 * The id of the project of that name; makes it, with an empty journal, if there is none. Safe when several
 * processes do it at once.
 */
export async function ensureProject(db: Database, name: string): Promise<string> {
  return db.transaction().execute(async (trx) => {
    await trx
      .insertInto('projects')
      .values({ id: newId(), name })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    const { id } = await trx
      .selectFrom('projects')
      .select('id')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    await trx
      .insertInto('journal_heads')
      .values({ project_id: id, last_recorded_at: sql<string>`'-infinity'::timestamptz` })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return id
  })
}

/** A project's id and name. */
export interface Project {
  readonly id: string
  readonly name: string
}

/** A look at all projects: how many there are, and the ids of those that somebody is behind with. */
export interface ProjectsLook {
  readonly projects: number
  readonly behind: string[]
}

/**
 * How long to rest after a look at all projects, in milliseconds. A look at 5,000 takes a server 2 to 4 ms, so each process that
 * looks costs it at most a 300th of a core, however many there are. It only finds what no news told of.
 * @param leastMs the rest while there are few
 */
export const restAfterLook = ({ projects }: ProjectsLook, leastMs: number): number =>
  Math.max(leastMs, Math.min(projects * 0.3, 60_000))

/** All projects, ordered by id: the same order in every database. */
export function listProjects(db: Database): Promise<Project[]> {
  return db.selectFrom('projects').select(['id', 'name']).orderBy('id').execute()
}

/**
 * The project of that name or with that id; null if there is none. A name wins over an id.
 * @param among the ids of the projects that count; null: all
 * @throws ValidationError for an impossible name, such as one with a NUL: Postgres would refuse the statement
 */
export async function findProject(
  db: Database,
  nameOrId: string,
  among: readonly string[] | null = null,
): Promise<Project | null> {
  check('project', shortString(LIMITS.nameCharacters), nameOrId)
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'name'])
    .where((either) =>
      either.or([either('name', '=', nameOrId), either(sql<string>`id::text`, '=', nameOrId.toLowerCase())]),
    )
    .where(sql<SqlBool>`(${among}::uuid[] is null or id = any(${among}::uuid[]))`)
    .execute()
  return rows.find(({ name }) => name === nameOrId) ?? rows[0] ?? null
}

/** The most that a project may hold or ask for; null: as much as it likes. */
export interface ProjectLimits {
  /** Memories that are not forgotten. */
  readonly memories: number | null
  /** Bytes of events. */
  readonly bytes: number | null
  /** Queries and mutations, at one gateway. */
  readonly requestsPerSecond: number | null
  /** Texts that wait for their vectors. */
  readonly queuedTexts: number | null
}

/** A project as a list shows it. */
export interface ProjectEntry extends Project {
  readonly createdAt: string
  /** Memories that are not forgotten. */
  readonly memories: number
  /** The size of its events' data as JSON, in bytes. */
  readonly bytes: number
  readonly limits: ProjectLimits
}

interface ProjectRow extends Project {
  readonly createdAt: string
  readonly memories: number
  readonly bytes: number
  readonly maxMemories: number | null
  readonly maxBytes: number | null
  readonly requestsPerSecond: number | null
  readonly queuedTexts: number | null
}

/**
 * Projects by id, ordered by name.
 * @param ids null: all
 */
export async function readProjects(db: Database, ids: readonly string[] | null): Promise<ProjectEntry[]> {
  const { rows } = await sql<ProjectRow>`
    select id, name, created_at as "createdAt", coalesce(memories, 0)::bigint as memories,
      coalesce(bytes, 0)::bigint as bytes, max_memories as "maxMemories", max_bytes as "maxBytes",
      max_requests_per_second as "requestsPerSecond", max_queued_texts as "queuedTexts"
    from projects left join project_usage on project_id = id
    where ${ids}::uuid[] is null or id = any(${ids}::uuid[]) order by name`.execute(db)
  return rows.map(({ maxMemories, maxBytes, requestsPerSecond, queuedTexts, ...row }) => ({
    ...row,
    limits: { memories: maxMemories, bytes: maxBytes, requestsPerSecond, queuedTexts },
  }))
}

/** Makes an empty project. @returns its id; null if the name is taken */
export async function createProject(db: Database, name: string): Promise<string | null> {
  return db.transaction().execute(async (trx) => {
    const made = await trx
      .insertInto('projects')
      .values({ id: newId(), name })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (made === undefined) return null
    await trx
      .insertInto('journal_heads')
      .values({ project_id: made.id, last_recorded_at: sql<string>`'-infinity'::timestamptz` })
      .execute()
    return made.id
  })
}

/** Gives a project another name. @returns false if the name is taken */
export async function renameProject({ db, projectId }: ProjectScope, name: string): Promise<boolean> {
  try {
    await db.updateTable('projects').set({ name }).where('id', '=', projectId).execute()
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return false
    throw error
  }
}

const UNIQUE_VIOLATION = '23505'

/** Sets the limits that are given; the others stay. */
export async function setLimits(
  { db, projectId }: ProjectScope,
  { memories, bytes, requestsPerSecond, queuedTexts }: Partial<ProjectLimits>,
): Promise<void> {
  const given = {
    ...(memories !== undefined && { max_memories: memories }),
    ...(bytes !== undefined && { max_bytes: bytes }),
    ...(requestsPerSecond !== undefined && { max_requests_per_second: requestsPerSecond }),
    ...(queuedTexts !== undefined && { max_queued_texts: queuedTexts }),
  }
  if (Object.keys(given).length === 0) return
  await db.updateTable('projects').set(given).where('id', '=', projectId).execute()
}

/** How many projects there are. */
export async function countProjects(db: Database): Promise<number> {
  const row = await db
    .selectFrom('projects')
    .select((eb) => eb.fn.countAll<number>().as('projects'))
    .executeTakeFirstOrThrow()
  return row.projects
}
