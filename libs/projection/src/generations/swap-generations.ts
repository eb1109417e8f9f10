import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import { DaybookError } from '@daybook/memory/errors'
import type { Database, DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import { type Builder, holdOperation } from '../rebuild/fence.ts'
import { type Generation, insertGeneration, liveGeneration } from './generations.ts'

/**
 * The new generation has parked events that the live one has applied, so searches would lose hits. Code
 * REFUSED.
 */
export class MoreParkedError extends DaybookError {
  constructor(projection: string, events: readonly ParkedBeyond[]) {
    const named = events
      .slice(0, 3)
      .map(({ project, sequence, error }) => `sequence ${sequence} of project "${project}" (${error})`)
    super(
      'REFUSED',
      `The new generation of ${projection} was not made live: it could not apply ${events.length} events that the live one has applied: ${named.join('; ')}${
        events.length > named.length ? '; …' : ''
      }. Fix the cause and rebuild again. To see what the live one has parked:  daybook parked list --projection ${projection}  To lose them from searches anyway:  daybook reindex ${projection} --accept-parked`,
    )
  }
}

/** An event that a generation has parked and the live one has not. */
interface ParkedBeyond {
  readonly project: string
  readonly sequence: number
  readonly error: string
}

/** The conditions of a swap. */
interface SwapOptions {
  /** Swap even if the new generation has parked events that the live one has applied. Default no. */
  readonly acceptParked?: boolean
  /**
   * Swap even if the live generation is further in some project, where the new one may yet park an event.
   * Default no.
   */
  readonly acceptBehind?: boolean
  /** Runs in the swap's transaction after the generations are locked. If it throws, the swap is undone. */
  readonly guard?: (trx: DatabaseTransaction) => Promise<void>
}

/**
 * `refused`: the generation is neither following nor old. `behind`: the live one has applied an event that
 * this one has not reached.
 */
type Swapped = 'swapped' | 'refused' | 'behind'

/**
 * Makes a generation live, and the one that was live old. One transaction does both, so that exactly one is
 * live at any moment. Other old generations are dropped: every write has to keep each of them up to date, and
 * a rollback needs only one.
 *
 * @throws MoreParkedError and what the guard throws. Nothing changes then, nor for `refused` and `behind`.
 */
export async function swapGenerations(
  db: Database,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
  { acceptParked = false, acceptBehind = false, guard }: SwapOptions = {},
): Promise<Swapped> {
  return db.transaction().execute(async (trx) => {
    const rows = await trx
      .selectFrom('generations')
      .select(['generation', 'status'])
      .where('projection', '=', projection)
      .orderBy('generation')
      .forUpdate()
      .execute()
    await guard?.(trx)
    const status = rows.find((row) => row.generation === generation)?.status
    if (status !== 'following' && status !== 'old') return 'refused'
    const live = rows.find((row) => row.status === 'live')?.generation
    if (live !== undefined && !acceptParked) {
      // The order matters: an event that the live one had applied at the first check has been applied or
      // parked by the new one at the second.
      const which = { projection, generation }
      if (!acceptBehind && (await isBehind(trx, which, live))) return 'behind'
      const parked = await parkedBeyond(trx, which, live)
      if (parked.length > 0) throw new MoreParkedError(projection, parked)
    }
    await trx
      .updateTable('generations')
      .set({ status: 'dropping' })
      .where('projection', '=', projection)
      .where('status', '=', 'old')
      .where('generation', '<>', generation)
      .execute()
    await trx
      .updateTable('generations')
      .set({
        // A rollback to an unusable generation is impossible.
        status: sql`case when unusable is null then 'old' else 'dropping' end`,
        retired_at: sql`now()`,
      })
      .where('projection', '=', projection)
      .where('status', '=', 'live')
      .execute()
    await trx
      .updateTable('generations')
      .set({ status: 'live', retired_at: null, builder: null })
      .where('projection', '=', projection)
      .where('generation', '=', generation)
      .execute()
    return 'swapped'
  })
}

/**
 * Events that a generation has parked and the live one has neither parked nor dropped. Events that the
 * generation has not reached are not included.
 */
export async function parkedBeyond(
  db: Queryable,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
  live: number,
): Promise<readonly ParkedBeyond[]> {
  const { rows } = await sql<ParkedBeyond>`
    select coalesce(p.name, new.project_id::text) as project, new.sequence, new.error
    from parked_events new left join projects p on p.id = new.project_id
    where new.projection = ${projection} and new.generation = ${generation} and new.dropped_at is null
      and not exists (
        select from parked_events known where known.projection = new.projection and known.generation = ${live}
          and known.project_id = new.project_id and known.sequence = new.sequence)
    order by new.project_id, new.sequence`.execute(db)
  return rows
}

/** Whether the live generation is further than this one in any project. */
async function isBehind(
  trx: DatabaseTransaction,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
  live: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from positions there left join positions here on here.projection = there.projection
      and here.project_id = there.project_id and here.generation = ${generation}
    where there.projection = ${projection} and there.generation = ${live}
      and there.position > coalesce(here.position, 0) limit 1`.execute(trx)
  return rows.length > 0
}

/** How an engine lays out its generations. */
export interface GenerationLayout {
  readonly projection: string
  /** The layout version that this code creates. */
  readonly layoutVersion: number
  /**
   * Creates a generation's tables in Postgres. A live generation must be ready for use afterwards. Default:
   * it has none.
   */
  readonly make?: (
    trx: DatabaseTransaction,
    generation: Generation,
    status: 'live' | 'building',
  ) => Promise<void>
}

/**
 * Processes that create generations at the same time take turns with this lock. The number is arbitrary but
 * must not change.
 */
const MAKE_LOCK = 7_033_215

/** Keeps everybody else from creating a generation, of any projection, until the transaction ends. */
export async function lockMaking(trx: DatabaseTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MAKE_LOCK})`.execute(trx)
}

/**
 * Returns the live generation. On the very first start, creates an empty generation 1 for the given model.
 */
export async function ensureLiveGeneration(
  db: Database,
  { projection, layoutVersion, make }: GenerationLayout,
  model: EmbeddingModel,
): Promise<Generation> {
  return db.transaction().execute(async (trx) => {
    await lockMaking(trx)
    const live = await liveGeneration(trx, projection)
    if (live !== null) return live
    const first = await insertGeneration(trx, projection, { model, status: 'live', layoutVersion })
    await make?.(trx, first, 'live')
    return first
  })
}

/**
 * Creates an empty generation beside the live one, for a rebuild to fill.
 * @throws FencedOffError if another process has taken the rebuild over
 */
export async function createGeneration(
  db: Database,
  { projection, layoutVersion, make }: GenerationLayout,
  model: EmbeddingModel,
  builder: Builder | null,
): Promise<Generation> {
  return db.transaction().execute(async (trx) => {
    await lockMaking(trx)
    if (builder !== null) await holdOperation(trx, builder)
    const made = await insertGeneration(trx, projection, {
      model,
      status: 'building',
      layoutVersion,
      builder: builder?.token ?? null,
    })
    await make?.(trx, made, 'building')
    return made
  })
}
