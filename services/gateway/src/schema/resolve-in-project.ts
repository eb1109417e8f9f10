import { DaybookError, NotFoundError } from '@daybook/memory/errors'
import type { Scope } from '@daybook/postgres/access/api-keys'
import { wasJustOpened } from '@daybook/postgres/access/console-sessions'
import { findProject, type Project } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import { type GraphQLResolveInfo, type GraphQLSchema, isObjectType } from 'graphql'
import type { Context } from '../context.ts'
import { OperationRefusedError } from './admin/operation-refused.ts'

type Path = GraphQLResolveInfo['path']

/**
 * Lets everything below a hit be resolved in the hit's own project, where a search looked at several: with that
 * project's row security, read model and loaders. It wraps every field of every object once, when the schema is made.
 * So no resolver has to think of it, and none that is added can forget to.
 *
 * A resolver knows from its path below which hit it stands. Hits say their contexts in `Context.ofHits`.
 */
export function resolveInProject(schema: GraphQLSchema): GraphQLSchema {
  const roots = new Set<unknown>([
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ])
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || roots.has(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field
      if (resolve === undefined) continue
      field.resolve = (source, args, context: Context, info) =>
        resolve(source, args, contextAt(context, source, info.path), info)
    }
  }
  return schema
}

/** The contexts of hits, by the hit's place. All fields of an object share the path of the object. */
const places = new WeakMap<Path, Context>()

function contextAt(context: Context, source: unknown, path: Path): Context {
  if (context.ofHits.size === 0) return context
  const ofHit = context.ofHits.get(source as object)
  if (ofHit !== undefined && path.prev !== undefined) places.set(path.prev, ofHit)
  for (let place: Path | undefined = path.prev; place !== undefined; place = place.prev) {
    const ofPlace = places.get(place)
    if (ofPlace !== undefined) return ofPlace
  }
  return context
}

/** The ids of the projects that the request's key administers; null: all. */
export function administered({ access }: Pick<Context, 'access'>): readonly string[] | null {
  if (access.admin) return null
  // Such a key is refused before; without its scope it administers nothing.
  return access.scopes.has('admin') ? access.projects : []
}

/**
 * The project of that name or with that id, if the request's key administers it.
 * @throws NotFoundError, in the same words for a project that does not exist
 */
export async function administeredProject(
  context: Pick<Context, 'access' | 'directory'>,
  nameOrId: string,
): Promise<Project> {
  return found(context, nameOrId, administered(context))
}

/**
 * The project of that name or with that id, if the request's key may use it.
 * @throws NotFoundError, in the same words for a project that does not exist
 */
export async function readableProject(
  context: Pick<Context, 'access' | 'directory'>,
  nameOrId: string,
): Promise<Project> {
  return found(context, nameOrId, context.access.projects)
}

async function found(
  { directory }: Pick<Context, 'directory'>,
  nameOrId: string,
  among: readonly string[] | null,
): Promise<Project> {
  const project = await findProject(directory, nameOrId, among)
  if (project === null) throw new NotFoundError(`The project "${nameOrId.slice(0, 64)}"`, 'Daybook')
  return project
}

/*
 * Which scopes a field needs. `http/yoga.ts` reads that from the schema and refuses an operation before
 * any of it runs. A field of `Query` or `Subscription` needs READ and one of `Mutation` WRITE without saying
 * so; a field says it here if it needs another scope, or if it tells more than the operation that leads to it.
 */

/** A scope, or `daybook`: the scope ADMIN over all projects. */
export type Need = Scope | 'daybook'

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    readonly needs?: readonly Need[]
  }
}

const needs = (...all: Need[]) => ({ extensions: { needs: all } }) as const

/** Spread into the options of a field that needs ADMIN in the projects it is about. */
export const ADMIN = needs('admin')

/** Into those of a field that concerns all projects. */
export const DAYBOOK = needs('daybook')

/** Into those of a field inside a mutation's answer that tells what was there before. */
export const READ = needs('read')

/** Into those of a field that any valid key may ask for. */
export const NOTHING = needs()

/** Which operations a key may see and cancel. */
export interface OperationAccess {
  readonly db: Database
  /** The key's project, whose operations it sees; null: all, because the key may run the whole Daybook. */
  readonly projectId: string | null
}

/** What the request's key may do with operations. */
export function operationAccess(context: Pick<Context, 'admin' | 'project'>): OperationAccess {
  // A key for the whole Daybook need not name a project.
  return context.admin === null ? context.project : { db: context.admin, projectId: null }
}

/**
 * Call this first in a resolver that reaches beyond the caller's own project. Its field is marked `DAYBOOK`
 * (`http/yoga.ts`), so a key without that right does not come as far as this; it is the second lock.
 * @returns the database, not bound to a project
 * @throws DaybookError FORBIDDEN
 */
export function requireAdmin({ admin }: Pick<Context, 'admin'>): Database {
  if (admin === null) throw new DaybookError('FORBIDDEN', 'This needs a key that may run the whole Daybook.')
  return admin
}

/** For how long after a login a session of the console may make keys, in milliseconds: a login link lasts half as long. */
const RECENT_MS = 10 * 60_000

/**
 * A key outlives the session that makes it. So whoever finds a browser that was left open must not get one out of it.
 * @throws OperationRefusedError REFUSED in a session that was opened longer ago
 */
export async function requireRecentLogin({ access, directory }: Context): Promise<void> {
  if (access.sessionId === undefined) return
  if (!(await wasJustOpened(directory, access.sessionId, RECENT_MS)))
    throw new OperationRefusedError(
      'REFUSED',
      'Keys are made only within 10 minutes of a login, because they outlive the session: log in again, by "daybook console" or with a key',
    )
}
