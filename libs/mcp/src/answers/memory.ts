import { graphql, type ResultOf } from '@daybook/api/graphql'
import { safeLine, safeText } from '@daybook/memory/safe-text'
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

/**
 * A memory as text for the model. Its own lines are set in by two blanks, so that none can look like a line of Daybook or of
 * another memory.
 */
export function memoryLines(memory: ApiMemory): string {
  const { id, kind, title, text, version, context, labels, agent, occurredAt, createdAt, forgottenAt } =
    memory
  const facts = [
    `version ${version}`,
    (occurredAt ?? createdAt).slice(0, 10),
    ...(context === null ? [] : [`in ${safeLine(context)}`]),
    ...(agent === null ? [] : [`by ${safeLine(agent)}`]),
    ...labels.map((label) => `#${safeLine(label)}`),
    ...(forgottenAt === null ? [] : ['forgotten']),
    ...(memory.trust === 'LOW' ? ['low trust'] : []),
    ...(memory.supersededBy === null ? [] : [`superseded by ${memory.supersededBy.id}`]),
  ]
  const head = `[${kind}] ${safeLine(id)} (${facts.join(', ')})`
  const said = text.startsWith(title) ? text : `${title}\n${text}`
  return `${head}\n${setIn(said)}`
}

/** The lines of a memory, set in, without control characters. */
export const setIn = (text: string): string =>
  safeText(text)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
