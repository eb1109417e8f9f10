import { joinParts } from '../text-rules.ts'
import { name, text } from './fields.ts'
import { kind } from './kind.ts'

/** A person, place, system or other thing that has a name. */
export const entity = kind({
  name: 'entity',
  description: 'A person, place, system or other thing that has a name.',
  fields: {
    name: name('What it is called.').required(),
    type: name('What sort of thing it is, such as person or service.').required(),
    content: text('What is known of it.').optional(),
  },
  key: (content) => content.name,
  // A person and a town may have one name.
  identity: { onExisting: 'REVISE', within: 'context', alike: ['type'] },
  title: (content) => content.name,
  sameInMemory: ['content'],
  body: (content) => content.content ?? null,
  text: (content) => joinParts(content.name, content.type, content.content),
})
