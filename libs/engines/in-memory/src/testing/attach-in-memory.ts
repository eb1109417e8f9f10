import type { ReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import { projectScope } from '@daybook/postgres/project-scope'
import { ensureLiveGeneration } from '@daybook/projection/generations/swap-generations'
import { readConfig } from '@daybook/runtime/config'
import { silentLogger } from '@daybook/runtime/logger'
import type { AttachedEngine } from '@daybook/search/testing/attached-engine'
import { createInMemoryEngine } from '../engine.ts'
import { fill } from '../held-generation.ts'
import { inMemoryWriter } from '../projection.ts'

/** Attaches an in-memory engine to a test's read model. */
export async function attachInMemory({
  db,
  embedder,
}: Pick<ReadModelHarness, 'db' | 'embedder'>): Promise<AttachedEngine> {
  const engine = createInMemoryEngine()
  const generation = await ensureLiveGeneration(db, engine.layout, embedder)
  const held = engine.heldOf(generation)
  return {
    slot: {
      name: engine.name,
      setting: engine.setting,
      search: engine.openSearch?.(readConfig({}), silentLogger) ?? null,
    },
    projection: inMemoryWriter(held),
    async fillVectors() {
      for (const projectId of held.projects.keys()) await fill(held, projectScope(db, projectId))
    },
    stop: () => Promise.resolve(),
  }
}
