import { graphql, type ResultOf } from '@daybook/api/graphql'
import { safeLines, setIn } from '@daybook/memory/set-in'
import { z } from 'zod'
import type { Answer } from '../tools/tool.ts'
import { AGENT_MEMORY, shownMemory } from './memory.ts'
import { shortened } from './shortened.ts'

/** What a search gives agents. Spread it on a SearchResult. */
export const FOUND = graphql(
  `fragment Found on SearchResult {
    hits { score matchType version memory { ...AgentMemory } }
    matchType degraded message sequence text
  }`,
  [AGENT_MEMORY],
)

type ApiFound = ResultOf<typeof FOUND>

/** The longest text that a hit carries whole, in characters. `get` gives the rest. */
const TEXT_CHARACTERS = 1_000

/** The output of the tools that search. What hits have besides is in the documentation; a schema costs each tool tokens. */
export const FOUND_OUTPUT = z.looseObject({
  hits: z.array(z.looseObject({ id: z.string(), text: z.string(), score: z.number() })),
  sequence: z.int(),
})

/** The answer of a tool that searches. */
export function foundAnswer({
  hits,
  matchType,
  message,
  degraded,
  sequence,
  text,
}: ApiFound): Answer<z.input<typeof FOUND_OUTPUT>> {
  const data = {
    hits: hits.map(({ memory, score, version }) => {
      const shown = { ...shownMemory(memory), version, score: Number(score.toFixed(4)) }
      const said = shortened(shown.text, TEXT_CHARACTERS)
      return said === shown.text ? shown : { ...shown, text: said, cut: true }
    }),
    ...(matchType !== null && { matchType }),
    ...(message !== null && { message }),
    ...(degraded.length > 0 && { degraded }),
    sequence,
  }
  // The message may name keys that memories have.
  return {
    data,
    text: hits.length === 0 ? setIn(safeLines(text)) : text,
    quotes: hits.length > 0 || message !== null,
  }
}
