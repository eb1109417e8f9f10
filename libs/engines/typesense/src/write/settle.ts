import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type GenerationRef, ofGeneration } from '@daybook/projection/generations/generation-ref'
import { sql } from 'kysely'
import { SERVER_RUN } from '../client/server-run.ts'
import { takeBack } from './take-back.ts'
import { withProjectLease } from './with-project-lease.ts'
import type { GenerationWriter } from './writer.ts'

/*
 * Documents are written before the position moves, and Typesense is no part of the database. So where the database comes back
 * without its last moments (an asynchronous replica was promoted, a backup restored, commits were not waited for), there may be
 * documents of events that nobody has any more, though position and journal agree. That can only have happened if the server was
 * started anew, or another one took over: each project's documents are looked at once in each run of a server, before anything
 * else is written, and those from beyond the position are written as of it.
 */

/** Notes that the documents agree with the position, in this run of the server. Under the project's lease. */
export async function noteSettled(
  trx: DatabaseTransaction,
  { name, generation }: GenerationRef,
  projectId: string,
): Promise<void> {
  await sql`
    update positions set server_run = ${SERVER_RUN}
    where projection = ${name} and generation = ${generation} and project_id = ${projectId}`.execute(trx)
}

/** The projects whose documents have not been looked at in this run. Goes through one row a project. */
export async function listUnsettled(db: Database, place: GenerationRef): Promise<string[]> {
  const rows = await db
    .selectFrom('positions')
    .select('project_id')
    .where(ofGeneration(place))
    .where('server_run', 'is distinct from', SERVER_RUN)
    .execute()
  return rows.map((row) => row.project_id)
}

/** Looks at a project's documents, where that was not done yet. @throws PositionMoved where another has the project */
export async function settle(writer: GenerationWriter, scope: ProjectScope): Promise<void> {
  await withProjectLease(writer, scope, null, async (held) => {
    const record = held.settled ? async () => {} : await takeBack(writer, held, held.position)
    await held.commit(async (trx) => {
      await record(trx)
      await noteSettled(trx, writer.place, scope.projectId)
    })
  })
}
