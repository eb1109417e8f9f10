import { joinParts } from '../text-rules.ts'
import { name, text } from './fields.ts'
import { kind } from './kind.ts'

/** A mistake and the right way instead. */
export const learning = kind({
  name: 'learning',
  description: 'A mistake and the right way instead.',
  fields: {
    correctPattern: text('How to do it.').required(),
    antiPattern: text('How not to do it.').optional(),
    context: text('Where it applies.').optional(),
    severity: name('How much it matters, such as low, medium or high.').optional(),
  },
  title: (content) => content.correctPattern,
  body: (content) => content.correctPattern,
  text: (content) => joinParts(content.antiPattern, content.correctPattern, content.context),
})
