import type { FieldChange, StateDiff, TextPart } from '@daybook/memory/diff-versions'
import type { JournalEvent } from '@daybook/memory/events'
import { memoryIdOf } from '@daybook/memory/state'
import { builder } from '../builder.ts'
import { enumOfWords } from './enum-of-words.ts'

/** Two versions of a memory, and what differs. */
export interface DiffedMemory extends StateDiff {
  readonly before: JournalEvent
  readonly after: JournalEvent
}

const textChange = enumOfWords<TextPart['change']>('TextChange', {
  SAME: 'It is in both texts.',
  REMOVED: 'It is only in the first one, of `from`.',
  ADDED: 'It is only in the second one, of `to`.',
})

/** The type `FieldChange`. */
export const fieldChange = builder.objectRef<FieldChange>('FieldChange')
builder.objectType(fieldChange, {
  description: 'A field that differs.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description: 'Its name as in an event: `content.` and the kind’s own field, `labels`, `forgottenAt`, …',
    }),
    before: t.field({ type: 'JSONValue', nullable: true, resolve: ({ before }) => before }),
    after: t.field({ type: 'JSONValue', nullable: true, resolve: ({ after }) => after }),
  }),
})

/** The type `TextPart`. */
export const textPart = builder.objectRef<TextPart>('TextPart')
builder.objectType(textPart, {
  description: 'A part of a text: what both texts share, or some words of one of them, blanks included.',
  fields: (t) => ({
    change: t.field({ type: textChange, resolve: ({ change }) => change }),
    text: t.exposeString('text'),
  }),
})

/** The type `MemoryDiff`. */
export const memoryDiff = builder.objectRef<DiffedMemory>('MemoryDiff')
builder.objectType(memoryDiff, {
  description: 'What differs between two versions of a memory.',
  fields: (t) => ({
    id: t.id({ resolve: ({ after }) => memoryIdOf(after.data.state) }),
    from: t.int({ resolve: ({ before }) => before.version }),
    to: t.int({ resolve: ({ after }) => after.version }),
    fromRecordedAt: t.field({ type: 'DateTime', resolve: ({ before }) => before.recordedAt }),
    toRecordedAt: t.field({ type: 'DateTime', resolve: ({ after }) => after.recordedAt }),
    changed: t.field({
      type: [fieldChange],
      resolve: ({ changed }) => [...changed],
      description: 'The fields that differ, with both values. Empty if the versions say the same.',
    }),
    text: t.field({
      type: [textPart],
      resolve: ({ text }) => [...text],
      description:
        'The text word by word, in order: SAME and REMOVED make the text of `from`, SAME and ADDED that of `to`. Texts with more than 1,000 differences are wholly REMOVED and ADDED.',
    }),
  }),
})
