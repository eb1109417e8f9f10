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
    async message(task, session) {
      const sections = await sectionsOf(session, [
        'daybook://session/active',
        'daybook://todos/open',
        ...(task === '' ? ['daybook://recent'] : []),
      ])
      if (task !== '') {
        const filter = { context: session.context }
        const { contextFor } = await session.ask(CONTEXT, { query: task, tokenBudget: 2000, filter })
        sections.push(
          `# About the task\n\n${contextFor.text === '' ? 'Nothing is known yet.' : contextFor.text}`,
        )
      }
      const where = session.context === null ? '' : ` in ${JSON.stringify(safeLine(session.context))}`
      return [
        `We begin to work${where}${task === '' ? '' : ` on: ${task}`}. Here is what Daybook remembers.`,
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
