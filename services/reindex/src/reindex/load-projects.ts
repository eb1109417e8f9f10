import type { Embedders } from '@daybook/embeddings/embedders'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { requeueTexts } from '@daybook/embeddings/store'
import { contentHash } from '@daybook/memory/content'
import { UnavailableError } from '@daybook/memory/errors'
import { embeddedTextOf } from '@daybook/memory/state'
import type { Work } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import { onOneConnection, type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { appliedMemories } from '@daybook/projection/apply/applied-memories'
import type { Generation, GenerationRef } from '@daybook/projection/generations/generations'
import { appliedProjects, readPosition } from '@daybook/projection/positions/positions'
import { LOAD_BEGINNING, loadProject, MEMORIES_PER_PAGE } from '@daybook/projection/rebuild/load-project'
import type {
  LoadTargetOptions,
  RebuildableProjection,
} from '@daybook/projection/rebuild/rebuildable-projection'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { forEachAtOnce } from '@daybook/runtime/timers'
import { countOpenTexts } from '../backfill/handle-backfill.ts'
import { readProjects } from '../projects.ts'
import type { Checkpoint, LoadingProject } from './checkpoint.ts'

/** How a rebuild loads its generation. */
interface LoadProjectsOptions extends LoadTargetOptions {
  /** Where the rebuild stands: its generation, and the projects and the page to resume from. */
  readonly checkpoint: Checkpoint
  /** Keeps the next checkpoint. */
  readonly save: (checkpoint: Checkpoint) => Promise<void>
}

/** Loads every project that the generation does not have yet, up to the head that it had when its turn came. */
export async function loadProjects(
  db: Database,
  rebuildable: RebuildableProjection,
  generation: Generation,
  { checkpoint, save, ...options }: LoadProjectsOptions,
  work: Work,
): Promise<void> {
  const projects = await readProjects(db, null)
  const total = projects.reduce((sum, { head }) => sum + head, 0)
  await work.report({ phase: 'loading', done: 0, total })
  await rebuildable.prepare(generation, total, options.fence)
  const target = rebuildable.loadTarget(generation, options)
  const loaded = new Set(
    await appliedProjects(db, { name: rebuildable.name, generation: generation.generation }),
  )
  const resumed = new Map(checkpoint.loading.map((one) => [one.projectId, one]))
  const ahead = projects
    .filter(({ id }) => !loaded.has(id))
    .map(
      ({ id, head, hash }): LoadingProject =>
        resumed.get(id) ?? { projectId: id, head: { sequence: head, hash }, place: LOAD_BEGINNING },
    )
  let done = projects.reduce((sum, { id, head }) => sum + (loaded.has(id) ? head : 0), 0)
  for (const loading of loadedTogether(ahead)) {
    // Before the first page, because a process that resumes must load up to the same heads. With a later head, memories that
    // were loaded already and revised since would keep the vectors of their earlier texts.
    await save({ ...checkpoint, loading })
    const areMany = loading.length > 1
    await forEachAtOnce(loading, areMany ? rebuildable.parallel : 1, async (one) => {
      const load = (scope: ProjectScope) =>
        loadProject(scope, {
          target,
          head: one.head,
          from: one.place,
          parallel: areMany ? 1 : rebuildable.parallel,
          signal: work.signal,
          onPage: async (place) => {
            await work.report({ done: done + place.after })
            await save({ ...checkpoint, loading: [{ ...one, place }] })
          },
        })
      const scope = projectScope(db, one.projectId)
      await (areMany ? onOneConnection(scope, load) : load(scope))
      done += one.head.sequence
      await work.report({ done })
    })
  }
}

/** Small projects that one checkpoint names, so that it need not be saved for each. */
const SAVED_TOGETHER = 100

/** Projects of less than a page, which are too small to keep several connections busy, come together; others alone. */
function* loadedTogether(ahead: readonly LoadingProject[]): Generator<readonly LoadingProject[]> {
  const small: LoadingProject[] = []
  for (const one of ahead)
    if (one.head.sequence >= MEMORIES_PER_PAGE) yield [one]
    else small.push(one)
  for (let from = 0; from < small.length; from += SAVED_TOGETHER)
    yield small.slice(from, from + SAVED_TOGETHER)
}

/** Makes the vectors of memories again, page by page. */
interface PageRegenerator {
  /** Waits until the texts of these memories have new vectors, or cannot get any. */
  regenerate(
    scope: ProjectScope,
    live: GenerationRef & Generation,
    memoryIds: readonly string[],
  ): Promise<void>
  close(): Promise<void>
}

const POLL_MS = 100

/**
 * Vectors that are older than the operation are made again, so that a resumed operation repeats none. Until the
 * memories are rewritten, the live generation keeps their old vectors and finds them by these.
 */
export function createPageRegenerator(
  { db, embedders, logger }: { db: Database; embedders: Embedders; logger: Logger },
  work: Work,
): PageRegenerator {
  const workers = createQueueWorkers({ db, embedders, logger })
  let vectors: ReturnType<typeof workers.want> | null = null
  return {
    async regenerate(scope, { name, generation, modelId }, memoryIds) {
      if ((await embedders.of(modelId)) === null)
        throw new UnavailableError(
          `The reindex service has no embedder for ${modelId} (DAYBOOK_EMBEDDER): start it with one`,
        )
      const { projectId } = scope
      const ref = { name, generation }
      const position = await readPosition(db, ref, projectId)
      const texts = (await appliedMemories(scope, ref, { memoryIds, position }))
        .filter(({ newest }) => newest.data.state.forgottenAt === null)
        .map(({ newest }) => embeddedTextOf(newest.data.state))
        .map((text) => ({ projectId, hash: contentHash(text), text }))
      await db
        .transaction()
        .execute((trx) => requeueTexts(trx, { projectId, modelId }, texts, work.operation.createdAt))
      vectors ??= workers.want(modelId, async () => {})
      vectors.wake()
      while ((await countOpenTexts(db, modelId, texts)).open > 0) {
        work.signal.throwIfAborted()
        await pause(POLL_MS, work.signal)
      }
    },
    close: async () => vectors?.leave(),
  }
}
