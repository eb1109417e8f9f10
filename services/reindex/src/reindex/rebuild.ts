import type { Embedders } from '@daybook/embeddings/embedders'
import { findModel, unknownModel } from '@daybook/embeddings/models'
import { UnavailableError, ValidationError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import type { RebuildResult, ReindexOptions } from '@daybook/operations/operation-types'
import { HandedOnError, type Work } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import { GENERATIONS_SEEN_MS } from '@daybook/projection/generations/apply-to-generations'
import {
  type Generation,
  type GenerationState,
  listGenerations,
  liveGeneration,
  moveGeneration,
} from '@daybook/projection/generations/generations'
import {
  type Builder,
  createFence,
  FencedOffError,
  takeOverGeneration,
} from '@daybook/projection/rebuild/fence'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { countMemories } from '../projects.ts'
import { waitUntilCaughtUp } from './caught-up.ts'
import type { Checkpoint } from './checkpoint.ts'
import { compareGeneration } from './compare-generation.ts'
import { dropGeneration, dropUnfinished } from './drop-generation.ts'
import { loadProjects } from './load-projects.ts'
import { swapIn } from './swap-in.ts'
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
  const save = (next: Checkpoint) => work.report({ checkpoint: { ...next } })

  await work.report({ phase: 'making', done: 0, total: null })
  await dropUnfinished(db, rebuildable, checkpoint?.generation ?? null, builder)
  if (checkpoint === null || (await findGeneration(db, rebuildable, checkpoint.generation)) === null) {
    const { generation } = await rebuildable.create(await modelOf(parts, rebuildable, options), builder)
    checkpoint = { generation, begun: await now(db), loading: [] }
    await save(checkpoint)
  }
  const { generation: number, begun } = checkpoint
  const found = await findGeneration(db, rebuildable, number)
  if (found === null) throw new Error(`generation ${number} of ${rebuildable.name} is not there`)
  if (found.status === 'live') return report(db, rebuildable, found)
  const generation: Generation = found
  await takeOverGeneration(db, generation, builder)
  const fence = createFence(generation, builder)

  if (found.status === 'building') {
    const regenerateBefore = options.regenerateEmbeddings ? begun : null
    await loadProjects(db, rebuildable, generation, { regenerateBefore, fence, checkpoint, save }, work)
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
    await compareGeneration(db, rebuildable, generation, work)
    await waitUntilCaughtUp(db, generation, work)
    await work.report({ phase: 'swapping' })
    await swapIn(db, generation, { acceptParked: options.acceptParked, fence }, work)
    // By then the projectors have picked it up.
    await pause(2 * (rebuildable.seenMs ?? GENERATIONS_SEEN_MS))
  } finally {
    await applier.stop()
  }
  return report(db, rebuildable, generation)
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
    if (known === null) throw new ValidationError('model', unknownModel(model))
    // What is loaded under that name may say another id: that of a folder.
    const embedder = await embedders.of(known.name)
    // A wrong key or a missing model is noticed here, and not by texts that wait for their vectors.
    await embedder?.embedQuery('a text')
    const { modelId, dimension } = embedder ?? known
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
