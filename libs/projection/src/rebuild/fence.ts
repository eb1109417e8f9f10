import type { Database, DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { type RawBuilder, sql } from 'kysely'
import type { Generation, GenerationStatus } from '../generations/generations.ts'

/*
 * A rebuild may be stalled for longer than its lease: paused with its machine, starved, cut off from the database. Another
 * process goes on with it then, and what the first one still does when it comes back must do nothing, at every step: the
 * generation may be live by now. Whoever works on it has a token; it stands in the generation's row, and every write looks
 * whether it still does in its own transaction, with the row locked, so that nobody can take over in between:
 *
 *   A: lease(a) ── write, a? yes ── write, a? yes ──(stalled)──────────────────── write, a? no: refused
 *   B:                                       takes the operation, lease(b) ── write, b? yes ── swap
 */

/** The operation that a rebuild is, and the token of the one who works on it now. */
export interface Builder {
  readonly operationId: string
  /** As the operation's row names the process that has it. */
  readonly owner: string
  /** One for each time that somebody takes the operation. */
  readonly token: string
}

/** The rebuild is another's by now. Nothing was written. */
export class FencedOffError extends Error {
  constructor(what: string) {
    super(`${what} is not this process's to build any more`)
    this.name = 'FencedOffError'
  }
}

/** Lets only the one write a generation who builds it now. */
export interface Fence {
  /**
   * Call it first in each transaction that writes the generation: until that ends nobody can take it over.
   * @param statuses that the generation must be in. Default `building`
   * @throws FencedOffError
   */
  hold(trx: DatabaseTransaction, statuses?: readonly GenerationStatus[]): Promise<void>
  /** The same without a transaction, right before a write elsewhere. @throws FencedOffError */
  check(db: Queryable, statuses?: readonly GenerationStatus[]): Promise<void>
}

/** Milliseconds for which a stalled process can keep others waiting in a transaction; then Postgres ends its session. */
const STALLED_MS = 15_000

const isHeld = ({ operationId, owner }: Builder) => sql<boolean>`exists (
  select from operations where id = ${operationId} and lease_owner = ${owner} and status = 'running')`

/** Part of the transaction that makes a generation. @throws FencedOffError where the operation is another's */
export async function holdOperation(trx: DatabaseTransaction, builder: Builder): Promise<void> {
  const { rows } = await sql`
    select from operations where id = ${builder.operationId} and lease_owner = ${builder.owner} and status = 'running'
    for key share`.execute(trx)
  if (rows.length === 0) throw new FencedOffError('A generation')
}

/** Takes a generation over that another was building. Waits for what that one writes just now. @throws FencedOffError */
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

/** Keeps nobody out: for benches and tests in which nobody else builds. */
export const NO_FENCE: Fence = { hold: () => Promise.resolve(), check: () => Promise.resolve() }
