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
  title: (content) => `${content.topic}: ${content.decision}`,
  body: (content) => content.decision,
  text: (content) => joinParts(content.topic, content.decision, content.reasoning),
})
