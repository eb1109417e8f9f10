import { joinParts } from '../text-rules.ts'
import { name, text } from './fields.ts'
import { kind } from './kind.ts'

/** What was decided about a topic, and why. */
export const decision = kind({
  name: 'decision',
  description: 'What was decided about a topic, and why.',
  fields: {
    topic: name('What it is about.').required(),
    decision: text('What was decided.').required(),
    reasoning: text('Why.').optional(),
  },
  key: (content) => content.topic,
  // A topic gathers decisions: the second need not replace the first. One that does names it in `supersedes`.
  identity: { onExisting: 'KEEP_BOTH', within: 'context' },
  title: (content) => `${content.topic}: ${content.decision}`,
  body: (content) => content.decision,
  text: (content) => joinParts(content.topic, content.decision, content.reasoning),
})
