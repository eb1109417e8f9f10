import { DaybookError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import { requestRemoval } from '@daybook/operations/removals'
import { beginDeletion, type DeletedProject, readDeleted } from '@daybook/postgres/access/delete-project'
import { findProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import type { Context } from './context.ts'

/**
 * Deletes a project for good. When this returns, nobody can read or write it at this gateway, and nobody can write
 * it anywhere. An operation removes what it held. Whoever asks again, by its id, gets the same answer.
 *
 * @param confirm the project's name
 * @throws NotFoundError, ValidationError
 */
export async function deleteProject(
  db: Database,
  context: Pick<Context, 'access' | 'forgetKeys' | 'limits'>,
  nameOrId: string,
  confirm: string,
): Promise<DeletedProject> {
  const found = await findProject(db, nameOrId)
  if (found !== null && confirm !== found.name)
    throw new ValidationError('confirm', 'must be the name of the project that is to be deleted for good')
  if (found !== null) {
    await beginDeletion(db, context.access, found.id)
    context.forgetKeys()
    context.limits.forget()
  }
  const id = found?.id ?? (isUuid(nameOrId) ? nameOrId.toLowerCase() : null)
  const deleted = id === null ? null : await readDeleted(db, id)
  if (deleted === null) throw new NotFoundError(`The project "${nameOrId.slice(0, 64)}"`, 'Daybook')
  if (deleted.finishedAt === null)
    await requestRemoval(db, deleted).catch((error: unknown) => {
      if (!(error instanceof DaybookError && error.code === 'BUSY')) throw error
    })
  return deleted
}
