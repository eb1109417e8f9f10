import { graphql, type ResultOf } from '@daybook/api/graphql'
import { safeLine } from '@daybook/memory/safe-text'
import { originFacts, safeLines, setIn } from '@daybook/memory/set-in'
import { z } from 'zod'

/** The fields of a memory that agents get. */
export const AGENT_MEMORY = graphql(`
  fragment AgentMemory on Memory {
    id kind title text agent labels categories importance context metadata occurredAt expiresAt version createdAt updatedAt
    forgottenAt trust supersededBy { id }
  }`)

type ApiMemory = Omit<ResultOf<typeof AGENT_MEMORY>, '__typename'>

/** A memory as tools return it. What is empty is left out. */
export const MEMORY = z.looseObject({ id: z.string(), text: z.string(), version: z.int() })

/** A memory for programs, without what is empty or usual. */
export function shownMemory(memory: ApiMemory): z.input<typeof MEMORY> {
  const { id, kind, title, text, version, supersededBy, importance, trust, metadata, ...others } = memory
  const rest = Object.entries({
    ...others,
    ...(importance !== 5 && { importance }),
    ...(trust !== 'NORMAL' && { trust }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(supersededBy !== null && { supersededBy: supersededBy.id }),
  }).filter(
    ([name, value]) =>
      name !== '__typename' && value !== null && !(Array.isArray(value) && value.length === 0),
  )
  return { id, kind, title, text, version, ...Object.fromEntries(rest) }
}

/** A memory as text for the model, whole: its own lines are set in, with their indentation. */
export function memoryLines(memory: ApiMemory): string {
  const { id, kind, title, text, version, labels, forgottenAt } = memory
  const facts = [
    `version ${version}`,
    ...originFacts(memory),
    ...labels.map((label) => `#${safeLine(label)}`),
    ...(forgottenAt === null ? [] : ['forgotten']),
    ...(memory.trust === 'LOW' ? ['low trust'] : []),
    ...(memory.supersededBy === null ? [] : [`superseded by ${memory.supersededBy.id}`]),
  ]
  const head = `[${kind}] ${safeLine(id)} (${facts.join(', ')})`
  const said = text.startsWith(title) ? text : `${title}\n${text}`
  return `${head}\n${setIn(safeLines(said))}`
}
