import { ValidationError } from '@daybook/memory/errors'
import { CHAIN_START } from '@daybook/memory/event-hash'
import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { appliedProjects } from '@daybook/projection/positions/positions'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import type { Verifiable } from '@daybook/projection/verify/verifiable'
import { sql } from 'kysely'

/** A project with events. */
export interface KnownProject {
  /** Made when it is asked for: one takes 11 kB, and there may be thousands of projects. */
  readonly scope: ProjectScope
  readonly id: string
  readonly name: string
  /** The last sequence of its journal. */
  readonly head: number
  /** The hash of the event there. */
  readonly hash: string
}

const knownProject = (db: Database, id: string, name: string, head: number, hash: string): KnownProject => ({
  get scope() {
    return projectScope(db, id)
  },
  id,
  name,
  head,
  hash,
})

/** Reads all projects with events, or the one with that id, in a fixed order. */
export async function readProjects(db: Database, projectId: string | null): Promise<KnownProject[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('journal_heads', 'journal_heads.project_id', 'projects.id')
    .select(['projects.id', 'projects.name', 'journal_heads.sequence', 'journal_heads.hash'])
    .where('journal_heads.sequence', '>', 0)
    .$if(projectId !== null, (query) => query.where('projects.id', '=', projectId))
    .orderBy('projects.id')
    .execute()
  return rows.map(({ id, name, sequence, hash }) =>
    knownProject(db, id, name, sequence, hash.toString('hex')),
  )
}

/**
 * Reads the projects in which a generation is compared: those with events, and those in which the generation
 * holds data or has a position, even if their journal is empty or gone.
 */
export async function readComparedProjects(
  db: Database,
  verifiable: Verifiable,
  projectId: string | null,
): Promise<KnownProject[]> {
  const held = [...(await appliedProjects(db, verifiable)), ...(await verifiable.projects())]
  return withOthers(db, projectId, held)
}

/**
 * Reads the projects whose journals are checked: those with events, and those of which events were applied or
 * published.
 */
export async function readCheckedProjects(db: Database, projectId: string | null): Promise<KnownProject[]> {
  const rows = await db
    .selectFrom('positions')
    .select('project_id')
    .where('position', '>', 0)
    .union(db.selectFrom('relay_positions').select('project_id').where('published', '>', 0))
    .execute()
  return withOthers(
    db,
    projectId,
    rows.map((row) => row.project_id),
  )
}

/**
 * Adds these to those with events. A deletion under way has removed the journal's head, and what was applied and published of it
 * goes later: nothing of that is a fault.
 */
async function withOthers(
  db: Database,
  projectId: string | null,
  ids: readonly string[],
): Promise<KnownProject[]> {
  const withEvents = await readProjects(db, projectId)
  const leaving = await db
    .selectFrom('deleted_projects')
    .select('project_id')
    .where('finished_at', 'is', null)
    .execute()
  const there = new Set([...withEvents.map(({ id }) => id), ...leaving.map((row) => row.project_id)])
  const others = [...new Set(ids)].filter((id) => !there.has(id) && (projectId === null || id === projectId))
  if (others.length === 0) return withEvents
  const names = await db
    .selectFrom('projects')
    .select(['id', 'name'])
    .where(sql<boolean>`id = any(${others}::uuid[])`)
    .execute()
  const nameOf = new Map(names.map(({ id, name }) => [id, name]))
  return [
    ...withEvents,
    ...others.map((id) => knownProject(db, id, nameOf.get(id) ?? id, 0, CHAIN_START)),
  ].toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** Counts all memories that ever existed, in all projects or in one. */
export async function countMemories(db: Database, projectId: string | null): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('memories'))
    .where('version', '=', 1)
    .$if(projectId !== null, (query) => query.where('project_id', '=', projectId as string))
    .executeTakeFirstOrThrow()
  return row.memories
}

/** The projections that this process can work on, by name. */
export type Projections = ReadonlyMap<string, RebuildableProjection>

/** Finds a projection by name. @throws ValidationError if this process has no such projection */
export function projectionOf(projections: Projections, name: string | null): RebuildableProjection {
  const found = projections.get(name ?? '')
  if (found === undefined)
    throw new ValidationError('projection', `must be one of ${[...projections.keys()].join(', ')}`)
  return found
}
