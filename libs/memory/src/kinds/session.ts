import { joinParts } from '../text-rules.ts'
import { choice, list, text } from './fields.ts'
import { kind } from './kind.ts'

/** What happened in one stretch of work. */
export const session = kind({
  name: 'session',
  description: 'What happened in one stretch of work.',
  fields: {
    summary: text('What happened.').required(),
    keyChanges: list('What changed.').optional(),
    status: choice(['active', 'closed'], 'Whether it is still going on.').optional(),
  },
  title: (content) => content.summary,
  body: (content) => content.summary,
  text: (content) => joinParts(content.summary, content.keyChanges),
})
