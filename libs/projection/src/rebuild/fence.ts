import type { Database, DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { type RawBuilder, sql } from 'kysely'
import type { Generation, GenerationStatus } from '../generations/generations.ts'

/*
 * A rebuild may stall for longer than its lease: its machine is paused, starved, or cut off from the
 * database. Another process then continues the rebuild. When the first one wakes up, none of its writes may
 * take effect, as the generation may be live by now. So whoever works on a rebuild has a token, which stands
 * in the generation's row. Every write checks the token in its own transaction, with the row locked, so that
 * nobody can take over in between:
 *
 *   A: lease(a) ── write, a? yes ── write, a? yes ──(stalled)──────────────────── write, a? no: refused
 *   B:                                       takes the operation, lease(b) ── write, b? yes ── swap
 */

/** A rebuild's operation, and the token of the process that works on it now. */
export interface Builder {
  readonly operationId: string
  /** The process that holds the operation, as its row names it. */
  readonly owner: string
  /** A new one each time a process takes the operation. */
  readonly token: string
}

/** Another process has taken the rebuild over. Nothing was written. */
export class FencedOffError extends Error {
  constructor(what: string) {
    super(`${what} is not this process's to build any more`)
    this.name = 'FencedOffError'
  }
}

/** Lets only the current builder write a generation. */
export interface Fence {
  /**
   * Call it first in each transaction that writes the generation. Nobody can take the generation over until
   * the transaction ends.
   * @param statuses the statuses that the generation may have. Default `building`
   * @throws FencedOffError
   */
  hold(trx: DatabaseTransaction, statuses?: readonly GenerationStatus[]): Promise<void>
  /** The same without a transaction, right before a write to another server. @throws FencedOffError */
  check(db: Queryable, statuses?: readonly GenerationStatus[]): Promise<void>
}

/**
 * Milliseconds for which a stalled process can block others with its transaction. Then Postgres ends its
 * session.
 */
const STALLED_MS = 15_000

const isHeld = ({ operationId, owner }: Builder) => sql<boolean>`exists (
  select from operations where id = ${operationId} and lease_owner = ${owner} and status = 'running')`

/**
 * Locks the operation in the transaction that creates a generation. @throws FencedOffError if the operation
 * is another's
 */
export async function holdOperation(trx: DatabaseTransaction, builder: Builder): Promise<void> {
  const { rows } = await sql`
    select from operations where id = ${builder.operationId} and lease_owner = ${builder.owner} and status = 'running'
    for key share`.execute(trx)
  if (rows.length === 0) throw new FencedOffError('A generation')
}

/**
 * Takes over a generation that another process was building, after waiting for its current write. @throws
 * FencedOffError
 */
export async function takeOverGeneration(
  db: Database,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
  builder: Builder,
): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update generations set builder = ${builder.token}
    where projection = ${projection} and generation = ${generation} and ${isHeld(builder)}`.execute(db)
  if (numAffectedRows === 0n) throw new FencedOffError(`Generation ${generation} of ${projection}`)
}

/** Creates the fence of one builder around one generation. */
export function createFence(
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
  builder: Builder,
): Fence {
  const look = async (
    db: Queryable,
    statuses: readonly GenerationStatus[],
    lock: RawBuilder<unknown>,
  ): Promise<void> => {
    const { rows } = await sql`
      select from generations g
      where g.projection = ${projection} and g.generation = ${generation} and g.builder = ${builder.token}
        and g.status = any(${statuses}::text[]) and ${isHeld(builder)} ${lock}`.execute(db)
    if (rows.length === 0) throw new FencedOffError(`Generation ${generation} of ${projection}`)
  }
  return {
    async hold(trx, statuses = ['building']) {
      await sql`set local idle_in_transaction_session_timeout = ${sql.lit(STALLED_MS)}`.execute(trx)
      await look(trx, statuses, sql`for share of g`)
    },
    check: (db, statuses = ['building']) => look(db, statuses, sql``),
  }
}

/** A fence that admits everybody, for benches and tests with a single builder. */
export const NO_FENCE: Fence = { hold: () => Promise.resolve(), check: () => Promise.resolve() }
