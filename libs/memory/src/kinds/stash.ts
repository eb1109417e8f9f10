import { joinParts } from '../text-rules.ts'
import { list, name, text } from './fields.ts'
import { kind } from './kind.ts'

/** Work set aside under a name, to be popped later. Its `expiresAt` is the memory's own. */
export const stash = kind({
  name: 'stash',
  description: 'Work set aside under a name, to be popped later.',
  fields: {
    name: name('What it is popped by.').required(),
    summary: text('What was going on.').required(),
    files: list('The files that it is about.').optional(),
  },
  key: (content) => content.name,
  // The same work, set aside again.
  identity: { onExisting: 'REVISE', within: 'context' },
  title: (content) => content.name,
  body: (content) => content.summary,
  text: (content) => joinParts(content.name, content.summary, content.files),
  embeddedText: (content) => joinParts(content.name, content.summary),
})
