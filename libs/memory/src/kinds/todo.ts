import { joinParts } from '../text-rules.ts'
import { text, time } from './fields.ts'
import { kind } from './kind.ts'

/** Something left to do. */
export const todo = kind({
  name: 'todo',
  description: 'Something left to do.',
  fields: {
    description: text('What is to be done.').required(),
    context: text('What one must know to do it.').optional(),
    resolvedAt: time('When it was done.').optional(),
  },
  title: (content) => content.description,
  body: (content) => content.description,
  text: (content) => joinParts(content.description, content.context),
})
