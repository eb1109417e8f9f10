import { DaybookError } from '@daybook/memory/errors'
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../connect.ts'
import { type ProjectScope, projectScope } from '../project-scope.ts'
import { readDeleted } from './delete-project.ts'
import type { Project } from './projects.ts'

/** Where the journal of an imported project belongs. */
export interface PlacedProject {
  readonly scope: ProjectScope
  /** Its name here; a project that was already here keeps its name. */
  readonly name: string
  /** Whether it replaced an empty project of the same name and took over its keys. */
  readonly tookOver: boolean
}

/**
 * Makes room for an imported project, which keeps the id that its events and hashes contain. A project of the
 * same name without events, such as the one that every first start makes, is replaced: its keys open the
 * imported one. Clients connected with such a key reach the imported project within 2 s; their subscriptions
 * end within 5 s.
 * @throws DaybookError IMPORT_CONFLICT if the name belongs to another project that has events, or the project was
 * deleted here
 */
export async function placeProject(db: Database, project: Project): Promise<PlacedProject> {
  const placed = await db.transaction().execute((trx) => placeProjectIn(trx, project))
  return { ...placed, scope: projectScope(db, project.id) }
}

/** The same in a transaction of the caller. */
export async function placeProjectIn(
  trx: DatabaseTransaction,
  { id, name }: Project,
): Promise<Omit<PlacedProject, 'scope'>> {
  if ((await readDeleted(trx, id)) !== null)
    throw new DaybookError(
      'IMPORT_CONFLICT',
      `The project ${id} was deleted here for good, and an import does not bring it back: import into another Daybook`,
    )
  await trx
    .insertInto('projects')
    .values({ id, name })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const found = await trx
    .selectFrom('projects')
    .select(['id', 'name'])
    .where((either) => either.or([either('id', '=', id), either('name', '=', name)]))
    .execute()
  const same = found.find((project) => project.id === id)
  if (same !== undefined) {
    await trx
      .insertInto('journal_heads')
      .values({ project_id: id, last_recorded_at: sql<string>`'-infinity'::timestamptz` })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return { name: same.name, tookOver: false }
  }
  const namesake = found[0]
  if (namesake === undefined) throw new Error(`the project ${id} could not be made`)
  const { rows } = await sql<{ replaced: boolean }>`
      select replace_empty_project(${namesake.id}, ${id}) as replaced`.execute(trx)
  if (rows[0]?.replaced !== true)
    throw new DaybookError(
      'IMPORT_CONFLICT',
      `The name "${name}" belongs to another project here, which has events of its own (its id is ${namesake.id}, the imported one's is ${id}): import into another Daybook, such as one with an empty data folder`,
    )
  return { name, tookOver: true }
}
