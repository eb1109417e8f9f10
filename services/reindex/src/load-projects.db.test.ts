import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import type { Work } from '@daybook/operations/run-operations'
import { PGVECTOR_LAYOUT } from '@daybook/pgvector/write/create-generation'
import { pgvectorRebuildableProjection } from '@daybook/pgvector/write/pgvector-projection'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { createGeneration } from '@daybook/projection/generations/swap-generations'
import { createPositionSignal, readPosition } from '@daybook/projection/positions/positions'
import { NO_FENCE } from '@daybook/projection/rebuild/fence'
import { silentLogger } from '@daybook/runtime/logger'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Checkpoint } from './reindex/checkpoint.ts'
import { loadProjects } from './reindex/load-projects.ts'
import { type ReindexHarness, SMALL, startReindexHarness } from './testing/reindex-harness.ts'

const WORK = { signal: new AbortController().signal, report: async () => {} } as unknown as Work

describe.each(SERVICE_DATABASES)('the projects of a rebuild, on $name', ({ start }) => {
  let harness: ReindexHarness
  beforeAll(async () => {
    harness = await startReindexHarness({ start, projections: [] })
  })
  afterAll(() => harness?.stop())

  it('are loaded side by side; after a kill each of them to the head that it had at first', async () => {
    const { db } = harness
    const scopes: ProjectScope[] = []
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      const scope = await harness.newProject()
      await harness.remember(scope, `${name} light`, `${name} harbour`)
      scopes.push(scope)
    }
    const embedders = fixedEmbedders([createHashEmbedder({ dimension: 24 })])
    const rebuildable = pgvectorRebuildableProjection({
      db,
      bus: createInProcessBus(),
      signal: createPositionSignal(),
      logger: silentLogger,
      workers: createQueueWorkers({ db, embedders, logger: silentLogger }),
      oneConnection: false,
      indexWorkers: 0,
    })
    const generation = await createGeneration(db, PGVECTOR_LAYOUT, { modelId: SMALL, dimension: 24 }, null)
    let saved: Checkpoint = {
      generation: generation.generation,
      begun: new Date().toISOString(),
      loading: [],
    }
    const heads: number[] = []
    /** @param most projects that are loaded before the process dies */
    const load = (most: number) =>
      loadProjects(
        db,
        {
          ...rebuildable,
          loadTarget(...given) {
            const target = rebuildable.loadTarget(...given)
            return {
              ...target,
              async endProject(scope, loaded) {
                if (heads.length >= most) throw new Error('killed')
                heads.push(loaded.head.sequence)
                await target.endProject(scope, loaded)
              },
            }
          },
        },
        generation,
        {
          regenerateBefore: null,
          fence: NO_FENCE,
          checkpoint: saved,
          save: async (checkpoint) => {
            saved = checkpoint
          },
        },
        WORK,
      )
    await expect(load(2)).rejects.toThrow('killed')
    expect(saved.loading.map(({ projectId, head }) => [projectId, head.sequence]).toSorted()).toEqual(
      scopes.map(({ projectId }) => [projectId, 2]).toSorted(),
    )
    for (const scope of scopes) await harness.remember(scope, 'written after the kill')
    await load(5)
    expect(heads).toEqual([2, 2, 2, 2, 2])
    const ref = { name: rebuildable.name, generation: generation.generation }
    for (const { projectId } of scopes) expect(await readPosition(db, ref, projectId)).toBe(2)
  })
})
