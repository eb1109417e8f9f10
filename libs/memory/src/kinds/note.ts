import { text } from './fields.ts'
import { kind } from './kind.ts'

/** Anything worth keeping that fits no other kind. */
export const note = kind({
  name: 'note',
  description: 'Anything worth keeping that fits no other kind.',
  fields: { text: text('The note.').required() },
  body: (content) => content.text,
  sameInMemory: ['text'],
  text: (content) => content.text,
})
