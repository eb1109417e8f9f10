import type { Embedders } from '@daybook/embeddings/embedders'
import { findModel, MODEL_NAMES } from '@daybook/embeddings/models'
import { UnavailableError, ValidationError } from '@daybook/memory/errors'
import type { JournalCursor } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { JsonObject } from '@daybook/operations/operation'
import type { RebuildResult, ReindexOptions } from '@daybook/operations/operation-types'
import { HandedOnError, type Work } from '@daybook/operations/work'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { GENERATIONS_SEEN_MS } from '@daybook/projection/generations/apply-to-generations'
import {
  type Generation,
  type GenerationState,
  listGenerations,
  liveGeneration,
  moveGeneration,
} from '@daybook/projection/generations/generations'
import {
  MoreParkedError,
  parkedBeyond,
  swapGenerations,
} from '@daybook/projection/generations/swap-generations'
import { appliedProjects } from '@daybook/projection/positions/positions'
import {
  type Builder,
  createFence,
  type Fence,
  FencedOffError,
  takeOverGeneration,
} from '@daybook/projection/rebuild/fence'
import { LOAD_BEGINNING, type LoadCursor, loadProject } from '@daybook/projection/rebuild/load-project'
import type {
  LoadTargetOptions,
  RebuildableProjection,
} from '@daybook/projection/rebuild/rebuildable-projection'
import { verifyProject } from '@daybook/projection/verify/verify-project'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { countMemories, readProjects } from '../projects.ts'
import { waitUntilCaughtUp } from './caught-up.ts'
import { dropGeneration, dropUnfinished } from './drop-generation.ts'
import { waitForVectors } from './wait-for-vectors.ts'

/*
 * A rebuild makes a new generation of a projection from the journal, beside the live one, and swaps it in.
 *
 *   making ──▶ loading ──▶ embedding ──▶ indexing ──▶ following ──▶ comparing ──▶ swapped
 *
 * loading    each project's memories up to its head, in parallel
 * embedding  waits until every text that can have a vector has one
 * indexing   builds the indexes that are best built over complete data
 * following  projectors apply new events from here on; waits until it has caught up
 * comparing  compares it with the fold of the journal, as `verify` does
 *
 * If the process is killed, the next one goes on from the checkpoint: the generation, and while loading the
 * project and page. A process that only stalled is fenced off (`@daybook/projection/rebuild/fence`). In an
 * engine where its writes may arrive arbitrarily late, the next process starts a new generation instead, and
 * late writes land in the dropped one.
 */

type RebuildOptions = Pick<ReindexOptions, 'model' | 'regenerateEmbeddings' | 'acceptParked'>

interface Checkpoint {
  readonly generation: number
  /** When the rebuild began, by the database's clock. */
  readonly begun: string
  /** The project being loaded, up to which head, and how far that has come. */
  readonly loading: {
    readonly projectId: string
    readonly head: JournalCursor
    readonly place: LoadCursor
  } | null
}

/**
 * Runs a rebuild, or resumes it from its checkpoint.
 * @throws HandedOnError if another process has taken it over
 */
export async function rebuild(
  parts: Parameters<typeof build>[0],
  rebuildable: RebuildableProjection,
  options: RebuildOptions,
  work: Work,
): Promise<RebuildResult> {
  try {
    return await build(parts, rebuildable, options, work)
  } catch (error) {
    throw error instanceof FencedOffError ? new HandedOnError(error.message) : error
  }
}

async function build(
  parts: { readonly db: Database; readonly embedders: Embedders; readonly logger: Logger },
  rebuildable: RebuildableProjection,
  options: RebuildOptions,
  work: Work,
): Promise<RebuildResult> {
  const { db } = parts
  const builder: Builder = { operationId: work.operation.id, owner: work.owner, token: newId() }
  let checkpoint = await goOn(db, rebuildable, work)
  const save = async (next: Checkpoint) => {
    checkpoint = next
    await work.report({ checkpoint: next as unknown as JsonObject })
  }

  await work.report({ phase: 'making', done: 0, total: null })
  await dropUnfinished(db, rebuildable, checkpoint?.generation ?? null, builder)
  if (checkpoint === null || (await findGeneration(db, rebuildable, checkpoint.generation)) === null) {
    const { generation } = await rebuildable.create(await modelOf(parts, rebuildable, options), builder)
    await save({ generation, begun: await now(db), loading: null })
  }
  const { generation: number, begun } = checkpoint as unknown as Checkpoint
  const found = await findGeneration(db, rebuildable, number)
  if (found === null) throw new Error(`generation ${number} of ${rebuildable.name} is not there`)
  if (found.status === 'live') return report(db, rebuildable, found)
  const generation: Generation = found
  await takeOverGeneration(db, generation, builder)
  const fence = createFence(generation, builder)

  if (found.status === 'building') {
    await load(
      db,
      rebuildable,
      generation,
      { regenerateBefore: options.regenerateEmbeddings ? begun : null, fence },
      work,
      checkpoint,
      save,
    )
    await work.report({ phase: 'embedding', done: 0, total: null })
    await waitForVectors(parts, rebuildable, generation, fence, work)
    await work.report({ phase: 'indexing', done: 0, total: null })
    await rebuildable.buildIndexes(generation, fence)
    await db.transaction().execute(async (trx) => {
      await fence.hold(trx)
      await moveGeneration(trx, generation, ['building'], 'following')
    })
  }

  // Projectors also write it once they see it. This process writes it too, so that a rebuild does not depend
  // on them.
  const applier = rebuildable.apply(generation)
  try {
    await work.report({ phase: 'following', done: 0, total: null })
    await waitUntilCaughtUp(db, generation, work)
    await work.report({ phase: 'comparing', done: 0, total: await countMemories(db, null) })
    await compare(db, rebuildable, generation, work)
    await waitUntilCaughtUp(db, generation, work)
    await work.report({ phase: 'swapping' })
    await swap(db, generation, { acceptParked: options.acceptParked, fence }, work)
    // By then the projectors have picked it up.
    await pause(2 * (rebuildable.seenMs ?? GENERATIONS_SEEN_MS))
  } finally {
    await applier.stop()
  }
  return report(db, rebuildable, generation)
}

/**
 * How long a swap waits for a moment in which the new generation is nowhere behind the live one, in
 * milliseconds.
 */
const TOGETHER_MS = 5_000
const POLL_MS = 10

/**
 * Swaps the generation in. During many writes the live one may be an event ahead, which the new one might
 * still park. So its parked events are counted again once it has reached that point. If they are more than
 * the live one's, the swap is undone.
 * @throws MoreParkedError
 */
async function swap(
  db: Database,
  generation: Generation,
  { acceptParked, fence }: { acceptParked: boolean; fence: Fence },
  work: Work,
): Promise<void> {
  const guard = (trx: DatabaseTransaction) => fence.hold(trx, ['following'])
  const deadline = performance.now() + TOGETHER_MS
  const old = await liveGeneration(db, generation.projection)
  for (;;) {
    const acceptBehind = performance.now() > deadline
    const swapped = await swapGenerations(db, generation, { acceptParked, acceptBehind, guard })
    if (swapped === 'refused')
      throw new Error(
        `generation ${generation.generation} of ${generation.projection} cannot be made live: it is not following`,
      )
    if (swapped === 'behind') {
      await pause(POLL_MS, work.signal)
      work.signal.throwIfAborted()
      continue
    }
    if (!acceptBehind || acceptParked || old === null) return
    await waitUntilCaughtUp(db, generation, work)
    await comeBackIfMoreParked(db, generation, old)
    return
  }
}

async function comeBackIfMoreParked(db: Database, generation: Generation, old: Generation): Promise<void> {
  const parked = await parkedBeyond(db, generation, old.generation)
  if (parked.length === 0) return
  await swapGenerations(db, old, { acceptParked: true })
  throw new MoreParkedError(generation.projection, parked)
}

/** The checkpoint to resume from; null to begin with a new generation. */
async function goOn(
  db: Database,
  rebuildable: RebuildableProjection,
  work: Work,
): Promise<Checkpoint | null> {
  const checkpoint = (work.checkpoint as Checkpoint | null) ?? null
  if (checkpoint === null || !work.takenOver || !rebuildable.writesLate) return checkpoint
  const found = await findGeneration(db, rebuildable, checkpoint.generation)
  return found?.status === 'building' ? null : checkpoint
}

/**
 * Cleans up after a rebuild that does not go on.
 * @throws FencedOffError if another process goes on with it
 */
export async function abandonRebuild(
  db: Database,
  rebuildable: RebuildableProjection,
  { operation, checkpoint, owner }: Pick<Work, 'operation' | 'checkpoint' | 'owner'>,
): Promise<void> {
  const builder: Builder = { operationId: operation.id, owner, token: newId() }
  const { generation } = (checkpoint as Checkpoint | null) ?? { generation: null }
  if (generation === null) return dropUnfinished(db, rebuildable, null, builder)
  const found = await findGeneration(db, rebuildable, generation)
  if (found !== null && found.status !== 'live' && found.status !== 'old')
    await dropGeneration(db, rebuildable, generation, builder)
}

async function modelOf(
  { db, embedders }: { readonly db: Database; readonly embedders: Embedders },
  { name }: RebuildableProjection,
  { model }: RebuildOptions,
) {
  if (model !== null) {
    const known = findModel(model)
    if (known === null) throw new ValidationError('model', `must be ${MODEL_NAMES}`)
    // What is loaded under that name may say another id: that of a folder.
    const { modelId, dimension } = (await embedders.of(known.name)) ?? known
    return { modelId, dimension }
  }
  const live = await liveGeneration(db, name)
  if (live === null)
    throw new UnavailableError(
      `There is no ${name} projection yet: start its projector once, then rebuild it`,
    )
  return live
}

async function now(db: Database): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db)
  return rows[0]?.now ?? new Date().toISOString()
}

async function findGeneration(
  db: Database,
  { name }: RebuildableProjection,
  generation: number,
): Promise<GenerationState | null> {
  return (await listGenerations(db, name)).find((one) => one.generation === generation) ?? null
}

async function load(
  db: Database,
  rebuildable: RebuildableProjection,
  generation: Generation,
  options: LoadTargetOptions,
  work: Work,
  checkpoint: Checkpoint | null,
  save: (checkpoint: Checkpoint) => Promise<void>,
): Promise<void> {
  const projects = await readProjects(db, null)
  const total = projects.reduce((sum, { head }) => sum + head, 0)
  await work.report({ phase: 'loading', done: 0, total })
  await rebuildable.prepare(generation, total, options.fence)
  const target = rebuildable.loadTarget(generation, options)
  const loaded = new Set(
    await appliedProjects(db, { name: rebuildable.name, generation: generation.generation }),
  )
  let done = 0
  for (const { id, head, hash, scope } of projects) {
    const resumed = checkpoint?.loading?.projectId === id ? checkpoint.loading : null
    const upTo = resumed?.head ?? { sequence: head, hash }
    if (!loaded.has(id)) {
      const base = { generation: generation.generation, begun: checkpoint?.begun ?? '' }
      // Before the first page, because a process that resumes must load up to the same head. With a later
      // head, memories that were loaded already and revised since would keep the vectors of their earlier
      // texts.
      if (resumed === null)
        await save({ ...base, loading: { projectId: id, head: upTo, place: LOAD_BEGINNING } })
      await loadProject(scope, {
        target,
        head: upTo,
        from: resumed?.place ?? LOAD_BEGINNING,
        parallel: rebuildable.parallel,
        signal: work.signal,
        onPage: async (place) => {
          await work.report({ done: done + place.after })
          await save({ ...base, loading: { projectId: id, head: upTo, place } })
        },
      })
    }
    done += head
    await work.report({ done })
  }
}

/** @throws if the new generation differs from the journal, because then it must not become live */
async function compare(
  db: Database,
  rebuildable: RebuildableProjection,
  generation: Generation,
  work: Work,
): Promise<void> {
  const verifiable = rebuildable.check(generation)
  let done = 0
  for (const { scope, name } of await readProjects(db, null)) {
    const verified = await verifyProject(scope, verifiable, {
      signal: work.signal,
      onProgress: async (memories) => {
        done += memories
        await work.report({ done })
      },
    })
    if (verified.journalDigest !== verified.projectionDigest) {
      const [first] = verified.differences
      throw new Error(
        `The new generation is not what the journal of project "${name}" says: ${verified.differences.length} memories differ${
          first === undefined ? '' : `, such as ${first.memoryId} (${first.differs.join(', ')})`
        } ${verified.indexProblems.join('; ')}. It was not made live.`,
      )
    }
  }
}

async function report(
  db: Database,
  rebuildable: RebuildableProjection,
  generation: Generation,
): Promise<RebuildResult> {
  const old = (await listGenerations(db, rebuildable.name)).filter(({ status }) => status === 'old')
  return {
    generation: generation.generation,
    model: generation.modelId,
    old: old.map((one) => one.generation),
  }
}
