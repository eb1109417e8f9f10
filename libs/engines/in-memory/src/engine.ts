import type { OpenEngine } from '@daybook/projection/engine/engine'
import { type Generation, liveGeneration } from '@daybook/projection/generations/generations'
import type { GenerationLayout } from '@daybook/projection/generations/make-generation'
import { readPosition } from '@daybook/projection/positions/positions'
import { readProjectStatus } from '@daybook/projection/status/project-status'
import type { RegisteredEngine } from '@daybook/search/engine/search-engine'
import { candidatesIn } from './candidates.ts'
import { createHeldGeneration, type HeldGeneration, pendingOf } from './held-generation.ts'
import { inMemoryProjection } from './projection.ts'

/** The name by which the projection is known everywhere. */
export const IN_MEMORY = 'in-memory'

export interface InMemoryEngine extends RegisteredEngine, OpenEngine {
  /** @throws Error where this process does not hold it */
  heldOf(generation: Pick<Generation, 'generation'>): HeldGeneration
  /** Forgets everything, as the end of its process does. */
  lose(): void
}

/**
 * An engine that keeps its generations in this process, and nothing of them when it ends: they are unusable then and made anew from
 * the journal. It is for tests, and shows all that an engine must be.
 */
export function createInMemoryEngine(): InMemoryEngine {
  const held = new Map<number, HeldGeneration>()
  const layout: GenerationLayout = {
    projection: IN_MEMORY,
    layoutVersion: 1,
    make: async (_, generation) => void held.set(generation.generation, createHeldGeneration(generation)),
  }
  const engine: InMemoryEngine = {
    name: IN_MEMORY,
    title: 'In memory',
    setting: null,
    layout,
    isConfigured: () => true,
    open: () => engine,
    close() {},
    lose: () => held.clear(),
    heldOf({ generation }) {
      const found = held.get(generation)
      if (found === undefined)
        throw new Error(`This process does not hold generation ${generation} of ${IN_MEMORY}`)
      return found
    },
    projection: (options) => inMemoryProjection(options, layout, held, engine.heldOf),
    async status(scope, generation) {
      const status = await readProjectStatus(scope, generation)
      return { ...status, pendingEmbeddings: pendingOf(held.get(generation.generation), scope.projectId) }
    },
    openSearch: () => ({
      isAvailable: () => true,
      async state(scope) {
        const live = await liveGeneration(scope.db, IN_MEMORY)
        // What this process does not hold it cannot search: Postgres answers until it is made anew.
        if (live === null || !held.has(live.generation)) return null
        const place = { name: IN_MEMORY, generation: live.generation }
        return {
          generation: live,
          position: await readPosition(scope.db, place, scope.projectId),
          pending: pendingOf(held.get(live.generation), scope.projectId),
        }
      },
      candidates: ({ projectId, filter }, { generation }) =>
        candidatesIn(held.get(generation)?.projects.get(projectId) ?? new Map(), filter),
      close() {},
    }),
  }
  return engine
}
