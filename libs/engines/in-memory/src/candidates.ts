import type { MemoryFilter } from '@daybook/memory/filter'
import type { CandidateSource } from '@daybook/projection/engine/search-engine'
import type { HeldProject } from './held-generation.ts'

/**
 * Finds candidates by looking at every memory of the project. Of the filter it honours only
 * `includeForgotten`.
 */
export function candidatesIn(
  project: HeldProject,
  { includeForgotten = false }: MemoryFilter,
): CandidateSource {
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
