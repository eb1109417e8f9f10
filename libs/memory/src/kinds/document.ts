import { joinParts } from '../text-rules.ts'
import { name, text } from './fields.ts'
import { kind } from './kind.ts'

/** A longer text, embedded in overlapping chunks. */
export const document = kind({
  name: 'document',
  description: 'A longer text, embedded in overlapping chunks.',
  fields: {
    content: text('The text.').required(),
    title: name('Its title.').optional(),
  },
  sameInMemory: ['title', 'content'],
  title: (content) => content.title ?? content.content,
  body: (content) => content.content,
  text: (content) => joinParts(content.title, content.content),
})
