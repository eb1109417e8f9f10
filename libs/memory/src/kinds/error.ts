import { joinParts } from '../text-rules.ts'
import { text } from './fields.ts'
import { kind } from './kind.ts'

/** An error that was met, where it came from and what helped. */
export const error = kind({
  name: 'error',
  description: 'An error that was met, where it came from and what helped.',
  fields: {
    message: text('What it said.').required(),
    rootCause: text('Where it came from.').optional(),
    fix: text('What helped.').optional(),
  },
  title: (content) => content.message,
  body: (content) => content.message,
  text: (content) => joinParts(content.message, content.rootCause, content.fix),
})
