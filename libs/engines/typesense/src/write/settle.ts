import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type GenerationRef, ofGeneration } from '@daybook/projection/generations/generations'
import { sql } from 'kysely'
import { SERVER_RUN } from '../client/client.ts'
import { takeBack } from './rewrites.ts'
import { withProjectLease } from './with-project-lease.ts'
import type { GenerationWriter } from './writer.ts'

/*
 * Documents are written before the position moves, and Typesense is not part of the database. Suppose that
 * the database loses its last moments: an asynchronous replica was promoted, a backup was restored, or
 * commits were not waited for. Then documents may remain of events that are gone, although position and
 * journal agree. This requires that the server was restarted or another one took over. So in each run of a
 * server, each project's documents are checked once before anything else is written, and documents from
 * beyond the position are rewritten as of it.
 */

/**
 * Records, under the project's lease, that the documents agree with the position in this run of the server.
 */
export async function noteSettled(
  trx: DatabaseTransaction,
  { name, generation }: GenerationRef,
  projectId: string,
): Promise<void> {
  await sql`
    update positions set server_run = ${SERVER_RUN}
    where projection = ${name} and generation = ${generation} and project_id = ${projectId}`.execute(trx)
}

/** The projects whose documents have not been checked in this run. Reads one row per project. */
export async function listUnsettled(db: Database, ref: GenerationRef): Promise<string[]> {
  const rows = await db
    .selectFrom('positions')
    .select('project_id')
    .where(ofGeneration(ref))
    .where('server_run', 'is distinct from', SERVER_RUN)
    .execute()
  return rows.map((row) => row.project_id)
}

/**
 * Checks a project's documents if that was not done yet. @throws PositionMoved if another process has the
 * project
 */
export async function settle(writer: GenerationWriter, scope: ProjectScope): Promise<void> {
  await withProjectLease(writer, scope, null, async (held) => {
    const record = held.settled ? async () => {} : await takeBack(writer, held, held.position)
    await held.commit(async (trx) => {
      await record(trx)
      await noteSettled(trx, writer.place, scope.projectId)
    })
  })
}
