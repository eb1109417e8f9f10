import type { MemoryFilter } from '@daybook/memory/filter'
import type { OpenEngine } from '@daybook/projection/engine/engine'
import type { CandidateSource, RegisteredEngine } from '@daybook/projection/engine/search-engine'
import { type Generation, liveGeneration } from '@daybook/projection/generations/generations'
import type { GenerationLayout } from '@daybook/projection/generations/swap-generations'
import { readPosition } from '@daybook/projection/positions/positions'
import { readProjectStatus } from '@daybook/projection/status/project-status'
import { createHeldGeneration, type HeldGeneration, type HeldProject, pendingOf } from './held-generation.ts'
import { inMemoryProjection } from './projection.ts'

/** The projection's name everywhere. */
export const IN_MEMORY = 'in-memory'

/** The in-memory engine, with access to what it holds. */
export interface InMemoryEngine extends RegisteredEngine, OpenEngine {
  /** The content of a generation. @throws Error if this process does not hold it */
  heldOf(generation: Pick<Generation, 'generation'>): HeldGeneration
  /** Forgets everything, as if the process had ended. */
  lose(): void
}

/**
 * Creates an engine that keeps its generations in this process. They are lost when the process ends: then
 * they are unusable and are rebuilt from the journal. It is for tests, and shows everything that an engine
 * must implement.
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
        // What this process does not hold it cannot search: Postgres answers until it is made again.
        if (live === null || !held.has(live.generation)) return null
        const ref = { name: IN_MEMORY, generation: live.generation }
        return {
          generation: live,
          position: await readPosition(scope.db, ref, scope.projectId),
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

/**
 * Finds candidates by looking at every memory of the project. Of the filter it honours only
 * `includeForgotten`.
 */
function candidatesIn(project: HeldProject, { includeForgotten = false }: MemoryFilter): CandidateSource {
  const all = [...project.values()]
  const live = all.filter(({ memory }) => memory.state.forgottenAt === null)
  return {
    words: async (lexemes) =>
      lexemes.map((lexeme) => {
        const having = (includeForgotten ? all : live).filter((one) => one.lexemes.has(lexeme))
        return {
          documentFrequency: live.filter((one) => one.lexemes.has(lexeme)).length,
          isKnown: having.length > 0,
          memoryIds: having.map(({ memory }) => memory.state.id),
          isCutOff: false,
        }
      }),
    nearest: async () => ({
      memoryIds: live.filter(({ chunks }) => chunks.length > 0).map(({ memory }) => memory.state.id),
      isCutOff: false,
    }),
  }
}
