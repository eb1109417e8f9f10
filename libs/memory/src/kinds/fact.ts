import { joinParts } from '../text-rules.ts'
import { text } from './fields.ts'
import { kind } from './kind.ts'

/** A fact in short, with the full text behind it. */
export const fact = kind({
  name: 'fact',
  description: 'A fact in short, with the full text behind it.',
  fields: {
    summary: text('The fact in short.').required(),
    content: text('The full text.').optional(),
  },
  title: (content) => content.summary,
  sameInMemory: ['content'],
  body: (content) => content.content ?? null,
  text: (content) => joinParts(content.summary, content.content),
})
