import type { ResultOf } from '@daybook/api/graphql'
import { z } from 'zod'
import type { Answer } from '../tools/tool.ts'
import { type AGENT_MEMORY, MEMORY, memoryLines, shownMemory } from './memory.ts'

/** Memories in an order of their own, without scores. */
export const LISTED_OUTPUT = z.looseObject({ memories: z.array(MEMORY) })

/** The answer of a tool that lists memories. @param hint where there are none */
export function listedAnswer(
  memories: readonly ResultOf<typeof AGENT_MEMORY>[],
  hint: string,
): Answer<z.input<typeof LISTED_OUTPUT>> {
  return {
    data: { memories: memories.map(shownMemory) },
    text: memories.length === 0 ? hint : memories.map(memoryLines).join('\n\n'),
    quotes: memories.length > 0,
  }
}
