import type { Embedders } from '@daybook/embeddings/embedders'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { requeueTexts } from '@daybook/embeddings/store'
import { contentHash } from '@daybook/memory/content'
import { UnavailableError } from '@daybook/memory/errors'
import { embeddedTextOf } from '@daybook/memory/state'
import type { Work } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { appliedMemories } from '@daybook/projection/apply/applied-memories'
import type { Generation, GenerationRef } from '@daybook/projection/generations/generations'
import { appliedProjects, readPosition } from '@daybook/projection/positions/positions'
import { LOAD_BEGINNING, loadProject } from '@daybook/projection/rebuild/load-project'
import type {
  LoadTargetOptions,
  RebuildableProjection,
} from '@daybook/projection/rebuild/rebuildable-projection'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { countOpenTexts } from '../backfill/handle-backfill.ts'
import { readProjects } from '../projects.ts'
import type { Checkpoint } from './checkpoint.ts'

/** How a rebuild loads its generation. */
interface LoadProjectsOptions extends LoadTargetOptions {
  /** Where the rebuild stands: its generation, and the project and page to resume from. */
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
  let done = 0
  for (const { id, head, hash, scope } of projects) {
    const resumed = checkpoint.loading?.projectId === id ? checkpoint.loading : null
    const upTo = resumed?.head ?? { sequence: head, hash }
    if (!loaded.has(id)) {
      // Before the first page, because a process that resumes must load up to the same head. With a later
      // head, memories that were loaded already and revised since would keep the vectors of their earlier
      // texts.
      if (resumed === null)
        await save({ ...checkpoint, loading: { projectId: id, head: upTo, place: LOAD_BEGINNING } })
      await loadProject(scope, {
        target,
        head: upTo,
        from: resumed?.place ?? LOAD_BEGINNING,
        parallel: rebuildable.parallel,
        signal: work.signal,
        onPage: async (place) => {
          await work.report({ done: done + place.after })
          await save({ ...checkpoint, loading: { projectId: id, head: upTo, place } })
        },
      })
    }
    done += head
    await work.report({ done })
  }
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
