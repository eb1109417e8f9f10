import { randomUUID } from 'node:crypto'
import type { JournalCursor } from '@daybook/memory/events'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { isFree, leaseEnd, RELEASED } from '@daybook/postgres/lease'
import type { GenerationRef } from '@daybook/projection/generations/generations'
import { isInJournal } from '@daybook/projection/positions/positions'
import type { ProjectionBatch } from '@daybook/projection/projection'
import { sql } from 'kysely'
import { SERVER_RUN } from '../client/client.ts'

/*
 * The right to write a project's documents in one generation is a lease in the row `positions`, because the
 * writing happens in Typesense, where no row can be locked. Each lease has its own token. So an owner who was
 * paused for too long can tell that it has lost the lease, even if the next owner is the same process.
 */

/** A lease that was granted. */
interface ProjectLease {
  readonly token: string
  /** The project's position when it was leased. */
  readonly position: JournalCursor
  /**
   * Whether it was checked, since the database server started, that Typesense holds nothing beyond the
   * position (`settle.ts`).
   */
  readonly settled: boolean
  /** Whether the journal has the batch's end; true if no batch was given. */
  readonly known: boolean
}

/**
 * Leases a project for `leaseMs`. With a batch, only if the position is the batch's beginning.
 * @returns null if another process holds it, or the position differs
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
  // The row was missing, so the position is 0: the generation has just been started again.
  await releaseLease(db, place, projectId, token)
  return null
}

/** Extends the lease to its full duration from now. @returns false if it was lost */
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

/**
 * Locks the position for the holder. Nobody else can lease the project until the transaction ends. @returns
 * false if the lease was lost
 */
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

/** Releases the project. @returns false if the lease was lost before */
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

/** Runs work with the same key one after another, first come, first served. */
export interface KeyedMutex {
  take<T>(what: string, turn: () => Promise<T>): Promise<T>
}

/** Creates a mutex without any holder. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return {
    async take(what, turn) {
      const before = last.get(what) ?? Promise.resolve()
      const mine = before.then(turn)
      const settled = mine.catch(() => {})
      last.set(what, settled)
      try {
        return await mine
      } finally {
        if (last.get(what) === settled) last.delete(what)
      }
    },
  }
}
