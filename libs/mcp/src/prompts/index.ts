import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import { z } from 'zod'
import { NOTICE } from '../answers/memory.ts'
import { RESOURCES } from '../resources/index.ts'
import type { Session } from '../session.ts'

/** A prompt that people choose in their client. */
export interface PromptDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Its one optional argument. */
  readonly argument: z.ZodObject<Record<string, z.ZodOptional<z.ZodString>>>
  /** The message to the model. @param given the argument, empty if absent */
  message(given: string, session: Session): Promise<string>
}

const CONTEXT = queries.contextFor('text')

const CONTEXTS = queries.facets('memories contexts { value count }')

/** The most other contexts that are named. */
const NAMED = 5

/**
 * Where memories are if there are none in the session's context: a session in a new folder is told so, and goes on with what is
 * known in the context with the likeliest name.
 */
async function elsewhere(
  session: Session,
): Promise<{ readonly said: string; readonly session: Session } | null> {
  const { context } = session
  if (context === null) return null
  const { facets: here } = await session.ask(CONTEXTS, { filter: { context }, values: 1 })
  if (here.memories > 0) return null
  const { facets } = await session.ask(CONTEXTS, { filter: {}, values: 100 })
  if (facets.memories === 0) return null
  const likeliest = facets.contexts.find(({ value }) => isLike(value, context))
  const named = [...new Set([...(likeliest === undefined ? [] : [likeliest]), ...facets.contexts])].slice(
    0,
    NAMED,
  )
  const where = named.map(({ value, count }) => `${JSON.stringify(safeLine(value))} (${count})`).join(', ')
  const goOn =
    likeliest === undefined
      ? 'What follows is from everywhere'
      : `What follows is from ${JSON.stringify(safeLine(likeliest.value))}, whose name is the likeliest`
  return {
    said: `Nothing is remembered in ${JSON.stringify(safeLine(context))} yet, and ${facets.memories} memories elsewhere${where === '' ? '' : `, in ${where}`}. ${goOn}; pass another context to the tools where it is wrong.`,
    session: { ...session, context: likeliest?.value ?? null },
  }
}

/** Whether two names of folders are spelled alike but for what stands before or after: `shop`, `Shop-2`, `acme/shop`. */
function isLike(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')) as [
    string,
    string,
  ]
  return a.length > 2 && b.length > 2 && (a.includes(b) || b.includes(a))
}

const sectionsOf = (session: Session, uris: readonly string[]) =>
  Promise.all(
    RESOURCES.filter(({ uri }) => uris.includes(uri)).map(
      async ({ title, read }) => `# ${title}\n\n${(await read(session)).replace(`${NOTICE}\n\n`, '')}`,
    ),
  )

/** The prompts. A new one is an entry here. */
export const PROMPTS: readonly PromptDefinition[] = [
  {
    name: 'begin_session',
    title: 'Begin a session',
    description: 'Loads what is known here: the active session, open todos, and memories about the task.',
    argument: z.object({ task: z.string().optional().describe('What the session is about') }),
    async message(task, asked) {
      const other = await elsewhere(asked)
      const session = other?.session ?? asked
      const sections = await sectionsOf(session, [
        'daybook://session/active',
        'daybook://todos/open',
        ...(task === '' ? ['daybook://recent'] : []),
      ])
      if (task !== '') {
        const filter = { context: session.context ?? undefined }
        const { contextFor } = await session.ask(CONTEXT, { query: task, tokenBudget: 2000, filter })
        sections.push(
          `# About the task\n\n${contextFor.text === '' ? 'Nothing is known yet.' : contextFor.text}`,
        )
      }
      const where = asked.context === null ? '' : ` in ${JSON.stringify(safeLine(asked.context))}`
      return [
        `We begin to work${where}${task === '' ? '' : ` on: ${task}`}. Here is what Daybook remembers.`,
        ...(other === null ? [] : [other.said]),
        NOTICE,
        ...sections,
        'Use the tool search where you need more, and remember what we learn, decide and leave open.',
      ].join('\n\n')
    },
  },
  {
    name: 'end_session',
    title: 'End a session',
    description: 'Stores what was learned, decided and left open, and closes the active session.',
    argument: z.object({
      summary: z.string().optional().describe('What happened, if you want to say it yourself'),
    }),
    async message(summary, session) {
      const sections = await sectionsOf(session, ['daybook://session/active', 'daybook://todos/open'])
      return [
        'We end this session. Store what is worth knowing next time, with the tool remember in one call:',
        [
          '- decision: what we decided, and why',
          '- learning: mistakes we made and the right way instead',
          '- error: errors we met, their root cause and fix',
          '- insight: what we found out, under a key',
          '- todo: what is left to do',
          `- session: one, with a summary of what happened, keyChanges, and status "closed"${summary === '' ? '' : `. The user says: ${summary}`}`,
        ].join('\n'),
        'First search for what is known already, and revise it instead of storing it twice. Resolve the todos that are done; if a session is active, revise it with status "closed" instead of a new one.',
        NOTICE,
        ...sections,
      ].join('\n\n')
    },
  },
]
