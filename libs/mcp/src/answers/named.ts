import { safeLine } from '@daybook/memory/safe-text'
import { z } from 'zod'
import type { Answer } from '../tools/tool.ts'

/** People or interests, by the name that memories give them. */
export const NAMED_OUTPUT = z.looseObject({
  found: z.array(z.looseObject({ name: z.string(), id: z.string() })),
})

interface Named {
  readonly name: string
  readonly summary: string
  readonly importance: number
  readonly memories: number
  readonly memory: { readonly id: string }
}

/** The answer of a tool that lists people or interests. @param hint where there are none */
export function namedAnswer(named: readonly Named[], hint: string): Answer<z.input<typeof NAMED_OUTPUT>> {
  const found = named.map(({ memory, ...one }) => ({ ...one, id: memory.id }))
  const lines = found.map(
    ({ name, summary, memories, id }) =>
      `  ${safeLine(name)} (${memories} ${memories === 1 ? 'memory' : 'memories'}, ${id}): ${safeLine(summary)}`,
  )
  return { data: { found }, text: found.length === 0 ? hint : lines.join('\n'), quotes: found.length > 0 }
}
