import type { CommonInput, RememberInput, ReviseInput } from '@daybook/memory/commands'
import { COMMON_FIELD_NAMES } from '@daybook/memory/common-fields'
import type { ContentInput } from '@daybook/memory/content'
import { ValidationError } from '@daybook/memory/errors'
import type { OnExisting } from '@daybook/memory/kinds/kind'
import { builder } from '../builder.ts'
import { memoryContentInput, reviseContentInput } from './kinds.ts'

const onExistingWord = builder.enumType('OnExisting', {
  description: 'What to do if the same thing is remembered already.',
  values: {
    REVISE: {
      description:
        'It gets a new version. Its content, occurredAt and expiresAt become what is given now; everything else stays unless it is given.',
    },
    KEEP_BOTH: { description: 'A second memory is made.' },
    REJECT: { description: 'Nothing is written; the answer is a ConflictError KEY_EXISTS that names it.' },
  } satisfies Record<OnExisting, object>,
})

/** The input of `remember`. */
export const rememberInput = builder.inputType('RememberInput', {
  fields: (t) => ({
    content: t.field({ type: memoryContentInput, required: true }),
    agent: t.string({ description: 'Who remembers it; at most 255 characters.' }),
    labels: t.stringList({ description: 'At most 32 of 64 characters.' }),
    categories: t.stringList({
      description: 'person, emotion, interest, event or any other; at most 32 of 64 characters.',
    }),
    importance: t.int({ description: '0 to 10; 5 unless given.' }),
    context: t.string({
      description: 'A namespace, such as a repository or a conversation; at most 255 characters.',
    }),
    metadata: t.field({ type: 'JSON', description: 'At most 16 KiB.' }),
    occurredAt: t.field({ type: 'DateTime', description: 'When it happened, if not now.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'From then on it is out of the indexes, with an event. It must be later than now.',
    }),
    supersedes: t.id({
      description: 'The memory that this one replaces. Searches rank it below this one; see supersededBy.',
    }),
    onExisting: t.field({
      type: onExistingWord,
      description:
        'What to do if the same thing is remembered already: the same kind, key (insight key, stash name, decision topic, entity name and type, document id) and context; a document’s id counts in the whole project. Keys are compared as they are. REVISE unless given; for decisions KEEP_BOTH, because a topic gathers several.',
    }),
    idempotencyKey: t.string({
      description:
        'Makes it safe to send the same request again: the first result comes back. At most 255 characters.',
    }),
  }),
})

/** The input of `revise`. */
export const reviseInput = builder.inputType('ReviseInput', {
  description: 'Only what is given changes; null empties an optional field.',
  fields: (t) => ({
    content: t.field({ type: reviseContentInput }),
    agent: t.string(),
    labels: t.stringList(),
    categories: t.stringList(),
    importance: t.int(),
    context: t.string(),
    metadata: t.field({ type: 'JSON' }),
    occurredAt: t.field({ type: 'DateTime' }),
    expiresAt: t.field({ type: 'DateTime' }),
    supersedes: t.id({ description: 'The memory that this one replaces; null for none.' }),
  }),
})

type MemoryInput = CommonInput & { readonly content?: object | null | undefined }

/** Splits `{ stash: {…} }` into the kind and its fields. A stash's `expiresAt` becomes the memory's. */
function takeContent(given: object): { content: ContentInput; expiresAt: unknown } {
  const [kind = '', value] = Object.entries(given)[0] ?? []
  const { expiresAt, ...fields } = value as Record<string, unknown>
  return kind === 'stash'
    ? { content: { kind, fields }, expiresAt }
    : { content: { kind, fields: value as Record<string, unknown> }, expiresAt: undefined }
}

function common(given: MemoryInput, contentExpiresAt: unknown): CommonInput {
  const { expiresAt } = given
  if (contentExpiresAt != null && expiresAt != null && contentExpiresAt !== expiresAt)
    throw new ValidationError('expiresAt', 'differs from content.stash.expiresAt: give it once')
  const all: CommonInput = { ...given, expiresAt: contentExpiresAt ?? expiresAt }
  const names = COMMON_FIELD_NAMES.filter((name) => all[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, all[name]]))
}

/** Converts GraphQL's input to the domain's. @throws ValidationError */
export function toRememberInput(
  given: MemoryInput & { readonly content: object; readonly onExisting?: unknown },
): RememberInput {
  const { content, expiresAt } = takeContent(given.content)
  const { onExisting } = given
  return { content, ...common(given, expiresAt), ...(onExisting != null && { onExisting }) }
}

/** Converts GraphQL's input of a revision to the domain's. @throws ValidationError */
export function toReviseInput(given: MemoryInput): ReviseInput {
  if (given.content == null) return common(given, undefined)
  const { content, expiresAt } = takeContent(given.content)
  return { content, ...common(given, expiresAt) }
}
