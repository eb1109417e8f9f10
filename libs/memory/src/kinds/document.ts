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
    externalId: name(
      'Its id elsewhere, such as a path or an address; unique in the project. It never changes.',
    ).optional(),
  },
  key: (content) => content.externalId ?? null,
  identity: { onExisting: 'REVISE', within: 'project' },
  sameInMemory: ['title', 'content'],
  title: (content) => content.title ?? content.content,
  body: (content) => content.content,
  text: (content) => joinParts(content.title, content.content, content.externalId),
  // The words of a path are worth finding; they mean nothing.
  embeddedText: (content) => joinParts(content.title, content.content),
})
