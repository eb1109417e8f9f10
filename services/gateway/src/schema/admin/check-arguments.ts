import { NotFoundError } from '@daybook/memory/errors'
import { findProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'

/**
 * The id of the project with that name or id; null if none is given.
 * @throws NotFoundError
 */
export async function checkProject(
  db: Database,
  nameOrId: string | null | undefined,
): Promise<string | null> {
  if (nameOrId == null) return null
  const project = await findProject(db, nameOrId)
  if (project === null) throw new NotFoundError(`The project "${nameOrId.slice(0, 64)}"`, 'Daybook')
  return project.id
}
