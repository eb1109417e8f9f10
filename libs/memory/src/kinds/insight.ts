import { joinParts } from '../text-rules.ts'
import { name, text } from './fields.ts'
import { kind } from './kind.ts'

/** Something found out that stays true, recalled by its key. */
export const insight = kind({
  name: 'insight',
  description: 'Something found out that stays true, recalled by its key.',
  fields: {
    content: text('What was found out.').required(),
    key: name('What it is recalled by.').optional(),
  },
  key: (content) => content.key ?? null,
  // What is recalled by a key is what is true now; versions keep what was.
  identity: { onExisting: 'REVISE', within: 'context' },
  title: (content) => content.key ?? content.content,
  sameInMemory: ['content'],
  body: (content) => content.content,
  text: (content) => joinParts(content.key, content.content),
})
