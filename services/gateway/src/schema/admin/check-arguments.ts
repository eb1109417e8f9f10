import { NotFoundError } from '@daybook/memory/errors'
import { findProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

/** Whether a text is a UUID. */
export const isUuid = (text: string): boolean => UUID.test(text)

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
