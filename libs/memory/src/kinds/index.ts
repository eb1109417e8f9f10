import { joinParts } from '../text-rules.ts'
import { choice, type Kind, kind, list, name, text, time } from './kind.ts'

/** Work set aside under a name, to be popped later. Its `expiresAt` is the memory's own. */
export const stash = kind({
  name: 'stash',
  description: 'Work set aside under a name, to be popped later.',
  mainField: 'summary',
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

/** Something found out that stays true, recalled by its key. */
export const insight = kind({
  name: 'insight',
  description: 'Something found out that stays true, recalled by its key.',
  mainField: 'content',
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

/** What was decided about a topic, and why. */
export const decision = kind({
  name: 'decision',
  description: 'What was decided about a topic, and why.',
  mainField: 'decision',
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

/** A mistake and the right way instead. */
export const learning = kind({
  name: 'learning',
  description: 'A mistake and the right way instead.',
  mainField: 'correctPattern',
  fields: {
    correctPattern: text('How to do it.').required(),
    antiPattern: text('How not to do it.').optional(),
    context: text('Where it applies.').optional(),
    severity: name('How much it matters, such as low, medium or high.').optional(),
  },
  title: (content) => content.correctPattern,
  body: (content) => content.correctPattern,
  text: (content) => joinParts(content.antiPattern, content.correctPattern, content.context),
})

/** An error that was met, where it came from and what helped. */
export const error = kind({
  name: 'error',
  description: 'An error that was met, where it came from and what helped.',
  mainField: 'message',
  fields: {
    message: text('What it said.').required(),
    rootCause: text('Where it came from.').optional(),
    fix: text('What helped.').optional(),
  },
  title: (content) => content.message,
  body: (content) => content.message,
  text: (content) => joinParts(content.message, content.rootCause, content.fix),
})

/** What happened in one stretch of work. */
export const session = kind({
  name: 'session',
  description: 'What happened in one stretch of work.',
  mainField: 'summary',
  fields: {
    summary: text('What happened.').required(),
    keyChanges: list('What changed.').optional(),
    status: choice(['active', 'closed'], 'Whether it is still going on.').optional(),
  },
  title: (content) => content.summary,
  body: (content) => content.summary,
  text: (content) => joinParts(content.summary, content.keyChanges),
})

/** Something left to do. */
export const todo = kind({
  name: 'todo',
  description: 'Something left to do.',
  mainField: 'description',
  fields: {
    description: text('What is to be done.').required(),
    context: text('What one must know to do it.').optional(),
    resolvedAt: time('When it was done.').optional(),
  },
  title: (content) => content.description,
  body: (content) => content.description,
  text: (content) => joinParts(content.description, content.context),
})

/** Anything worth keeping that fits no other kind. */
export const note = kind({
  name: 'note',
  description: 'Anything worth keeping that fits no other kind.',
  mainField: 'text',
  fields: { text: text('The note.').required() },
  body: (content) => content.text,
  sameInMemory: ['text'],
  text: (content) => content.text,
})

/** A fact in short, with the full text behind it. */
export const fact = kind({
  name: 'fact',
  description: 'A fact in short, with the full text behind it.',
  mainField: 'content',
  fields: {
    summary: text('The fact in short.').required(),
    content: text('The full text.').optional(),
  },
  title: (content) => content.summary,
  sameInMemory: ['content'],
  body: (content) => content.content ?? null,
  text: (content) => joinParts(content.summary, content.content),
})

/** A longer text, embedded in overlapping chunks. */
export const document = kind({
  name: 'document',
  description: 'A longer text, embedded in overlapping chunks.',
  mainField: 'content',
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

/** A person, place, system or other thing that has a name. */
export const entity = kind({
  name: 'entity',
  description: 'A person, place, system or other thing that has a name.',
  mainField: 'content',
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

/**
 * Every kind of memory. A new kind is a definition above and a line here; the API follows from that.
 */
export const KINDS = {
  stash,
  insight,
  decision,
  learning,
  error,
  session,
  todo,
  note,
  fact,
  document,
  entity,
} as const

/** The name of a kind. */
export type KindName = keyof typeof KINDS

/** The names of all kinds. */
export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[]

/** Whether a word is the name of a kind. */
export function isKindName(word: string): word is KindName {
  return Object.hasOwn(KINDS, word)
}

/**
 * A kind whose content type is not known statically. Its functions take only content that has passed its
 * checks.
 */
export function kindNamed(kindName: KindName): Kind {
  return KINDS[kindName]
}
