import { randomUUID } from 'node:crypto'
import type { JournalCursor } from '@daybook/memory/events'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { isFree, leaseEnd, RELEASED } from '@daybook/postgres/lease'
import type { GenerationRef } from '@daybook/projection/generations/generation-ref'
import { isInJournal } from '@daybook/projection/positions/positions'
import type { ProjectionBatch } from '@daybook/projection/projection'
import { sql } from 'kysely'
import { SERVER_RUN } from '../client/server-run.ts'

/*
 * The right to write a project's documents in one generation: a lease in the row `positions`, since the writing itself happens in
 * Typesense, where no row can be locked. Each has a token of its own, so that an owner who was paused for too long can tell that it has
 * it no more, even where the next owner was the same process.
 */

export interface ProjectLease {
  readonly token: string
  /** The project's position while it is leased. */
  readonly position: JournalCursor
  /** Whether Typesense was seen to hold nothing from beyond it, since the database server started (`settle.ts`). */
  readonly settled: boolean
  /** Whether the journal has the batch's end; true where none was named. */
  readonly known: boolean
}

/**
 * Leases a project for `leaseMs`; with a batch only if its position is where that begins.
 * @returns null where another holds it, or the position is another
 */
export async function leaseProject(
  db: Database,
  place: GenerationRef,
  projectId: string,
  { leaseMs, batch = null }: { leaseMs: number; batch?: Pick<ProjectionBatch, 'from' | 'to'> | null },
): Promise<ProjectLease | null> {
  const token = randomUUID()
  const { sequence, hash } = batch?.from ?? { sequence: null, hash: null }
  const { rows } = await sql<JournalCursor & { settled: boolean; known: boolean }>`
    insert into positions as place (projection, generation, project_id, position, lease_owner, leased_until)
    values (${place.name}, ${place.generation}, ${projectId}, 0, ${token}, ${leaseEnd(leaseMs)})
    on conflict (projection, generation, project_id) do update
      set lease_owner = excluded.lease_owner, leased_until = excluded.leased_until
      where ${isFree('place')}
        and (${sequence}::bigint is null
          or place.position = ${sequence}::bigint and place.hash = decode(${hash}::text, 'hex'))
    returning position as sequence, encode(hash, 'hex') as hash,
      server_run is not distinct from ${SERVER_RUN} as settled,
      ${batch === null ? sql`true` : isInJournal(projectId, batch.to)} as known`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const { settled, known, ...position } = row
  if (batch === null || batch.from.sequence === position.sequence) return { token, position, settled, known }
  // The row was not there, so that its position is 0: the generation has just been started again.
  await releaseLease(db, place, projectId, token)
  return null
}

/** Lets the lease begin anew. @returns false where it was lost */
export async function renewLease(
  db: Database,
  place: GenerationRef,
  projectId: string,
  { token, leaseMs }: { token: string; leaseMs: number },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update positions set leased_until = ${leaseEnd(leaseMs)}
    where ${ofHolder(place, projectId, token)}`.execute(db)
  return numAffectedRows > 0n
}

/** Locks the position for the holder. Nobody else can lease until the transaction ends. @returns false where it was lost */
export async function lockLease(
  trx: DatabaseTransaction,
  place: GenerationRef,
  projectId: string,
  token: string,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from positions where ${ofHolder(place, projectId, token)} for update`.execute(trx)
  return rows.length > 0
}

/** Gives the project free. @returns false where the lease was lost before */
export async function releaseLease(
  db: Database | DatabaseTransaction,
  place: GenerationRef,
  projectId: string,
  token: string,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update positions set ${RELEASED}
    where ${ofHolder(place, projectId, token)}`.execute(db)
  return numAffectedRows > 0n
}

const ofHolder = (place: GenerationRef, projectId: string, token: string) => sql`
  projection = ${place.name} and generation = ${place.generation} and project_id = ${projectId}
  and lease_owner = ${token}`
