import type { Embedders } from '@daybook/embeddings/embedders'
import { findModel, MODEL_NAMES } from '@daybook/embeddings/models'
import { UnavailableError, ValidationError } from '@daybook/memory/errors'
import type { JournalPlace } from '@daybook/memory/events'
import type { JsonObject } from '@daybook/operations/operation'
import type { ReindexOptions } from '@daybook/operations/options'
import type { Work } from '@daybook/operations/work'
import type { Database } from '@daybook/postgres/connect'
import {
  type Generation,
  type GenerationState,
  listGenerations,
  liveGeneration,
  moveGeneration,
  swapGenerations,
} from '@daybook/projection/generations'
import { LOAD_BEGINNING, type LoadPlace, loadProject } from '@daybook/projection/rebuild/load-project'
import type { Rebuildable } from '@daybook/projection/rebuild/rebuildable'
import { verifyProject } from '@daybook/projection/verify/verify-project'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { countMemories, readProjects } from '../projects.ts'
import { waitUntilCaughtUp } from './caught-up.ts'
import { dropGeneration, dropUnfinished } from './drop-generation.ts'
import { waitForVectors } from './wait-for-vectors.ts'

/*
 * A rebuild: a new generation of a projection is made from the journal beside the live one, and takes its place.
 *
 *   making ──▶ loading ──▶ embedding ──▶ indexing ──▶ following ──▶ comparing ──▶ swapped
 *
 * loading    each project's memories up to its head, in parallel
 * embedding  until every text has its vector that can have one
 * indexing   what is best built over what is there
 * following  projectors keep it up with the journal from here on, until it has caught up
 * comparing  against the fold of the journal, as `verify` does
 *
 * Whatever is killed, the next process goes on from the checkpoint: the generation, and in loading the project and page.
 */

type RebuildOptions = Pick<ReindexOptions, 'model' | 'regenerateEmbeddings'>

interface Checkpoint {
  readonly generation: number
  /** When the rebuild began, by the database's clock. */
  readonly begun: string
  /** The project being loaded, up to which head, and how far that has come. */
  readonly loading: {
    readonly projectId: string
    readonly head: JournalPlace
    readonly place: LoadPlace
  } | null
}

export async function rebuild(
  parts: { readonly db: Database; readonly embedders: Embedders; readonly logger: Logger },
  rebuildable: Rebuildable,
  options: RebuildOptions,
  work: Work,
): Promise<JsonObject> {
  const { db } = parts
  let checkpoint = (work.checkpoint as Checkpoint | null) ?? null
  const save = async (next: Checkpoint) => {
    checkpoint = next
    await work.report({ checkpoint: next as unknown as JsonObject })
  }

  await work.report({ phase: 'making', done: 0, total: null })
  await dropUnfinished(db, rebuildable, checkpoint?.generation ?? null)
  if (checkpoint === null || (await findGeneration(db, rebuildable, checkpoint.generation)) === null) {
    const { generation } = await rebuildable.create(await modelOf(db, rebuildable, options))
    await save({ generation, begun: await now(db), loading: null })
  }
  const { generation: number, begun } = checkpoint as unknown as Checkpoint
  const found = await findGeneration(db, rebuildable, number)
  if (found === null) throw new Error(`generation ${number} of ${rebuildable.name} is not there`)
  if (found.status === 'live') return report(db, rebuildable, found)
  const generation: Generation = found

  if (found.status === 'building') {
    await load(
      db,
      rebuildable,
      generation,
      options.regenerateEmbeddings ? begun : null,
      work,
      checkpoint,
      save,
    )
    await work.report({ phase: 'embedding', done: 0, total: null })
    await waitForVectors(parts, rebuildable, generation, work)
    await work.report({ phase: 'indexing', done: 0, total: null })
    await rebuildable.buildIndexes(generation)
    await moveGeneration(db, generation, ['building'], 'following')
  }

  // Projectors post it too, once they see it. So that a rebuild does not depend on them, so does this process.
  const poster = rebuildable.post(generation)
  try {
    await work.report({ phase: 'following', done: 0, total: null })
    await waitUntilCaughtUp(db, generation, work)
    await work.report({ phase: 'comparing', done: 0, total: await countMemories(db, null) })
    await compare(db, rebuildable, generation, work)
    await waitUntilCaughtUp(db, generation, work)
    await work.report({ phase: 'swapping' })
    if (!(await swapGenerations(db, generation)))
      throw new Error(`generation ${number} of ${rebuildable.name} cannot be made live`)
    // The projectors have it by then.
    await pause(1_000)
  } finally {
    await poster.stop()
  }
  return report(db, rebuildable, generation)
}

/** What is left of a rebuild that does not go on. */
export async function abandonRebuild(
  db: Database,
  rebuildable: Rebuildable,
  checkpoint: JsonObject | null,
): Promise<void> {
  const { generation } = (checkpoint as Checkpoint | null) ?? { generation: null }
  if (generation === null) return dropUnfinished(db, rebuildable, null)
  const found = await findGeneration(db, rebuildable, generation)
  if (found !== null && found.status !== 'live' && found.status !== 'old')
    await dropGeneration(db, rebuildable, generation)
}

async function modelOf(db: Database, { name }: Rebuildable, { model }: RebuildOptions) {
  if (model !== null) {
    const known = findModel(model)
    if (known === null) throw new ValidationError('model', `must be ${MODEL_NAMES}`)
    return { modelId: known.modelId, dimension: known.dimension }
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
  { name }: Rebuildable,
  generation: number,
): Promise<GenerationState | null> {
  return (await listGenerations(db, name)).find((one) => one.generation === generation) ?? null
}

async function load(
  db: Database,
  rebuildable: Rebuildable,
  generation: Generation,
  regenerateBefore: string | null,
  work: Work,
  checkpoint: Checkpoint | null,
  save: (checkpoint: Checkpoint) => Promise<void>,
): Promise<void> {
  const projects = await readProjects(db, null)
  const total = projects.reduce((sum, { head }) => sum + head, 0)
  await work.report({ phase: 'loading', done: 0, total })
  await rebuildable.prepare(generation, total)
  const target = rebuildable.loadTarget(generation, { regenerateBefore })
  const loaded = await loadedProjects(db, generation)
  let done = 0
  for (const { id, head, hash, scope } of projects) {
    const resumed = checkpoint?.loading?.projectId === id ? checkpoint.loading : null
    const upTo = resumed?.head ?? { sequence: head, hash }
    if (!loaded.has(id)) {
      const base = { generation: generation.generation, begun: checkpoint?.begun ?? '' }
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

/** The projects that are loaded: those with a position. */
async function loadedProjects(db: Database, { projection, generation }: Generation): Promise<Set<string>> {
  const rows = await db
    .selectFrom('positions')
    .select('project_id')
    .where('projection', '=', projection)
    .where('generation', '=', generation)
    .where('position', '>', 0)
    .execute()
  return new Set(rows.map((row) => row.project_id))
}

/** @throws where the new generation is not what the journal says: then it must not become live */
async function compare(
  db: Database,
  rebuildable: Rebuildable,
  generation: Generation,
  work: Work,
): Promise<void> {
  const checkable = rebuildable.check(generation)
  let done = 0
  for (const { scope, name } of await readProjects(db, null)) {
    const verified = await verifyProject(scope, checkable, {
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

async function report(db: Database, rebuildable: Rebuildable, generation: Generation): Promise<JsonObject> {
  const old = (await listGenerations(db, rebuildable.name)).filter(({ status }) => status === 'old')
  return {
    generation: generation.generation,
    model: generation.modelId,
    old: old.map((one) => one.generation),
  }
}
