import { NotFoundError } from '@daybook/memory/errors'
import { findProject, type Project } from '@daybook/postgres/access/projects'
import type { Context } from '../context.ts'

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
