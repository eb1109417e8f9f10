import { readMemoryEvents, readMemoryVersions } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import { diffStates, type FieldChange, type StateDiff, type TextPart } from '@daybook/memory/diff-versions'
import { ValidationError } from '@daybook/memory/errors'
import type { JournalEvent } from '@daybook/memory/events'
import { parseMemoryId } from '@daybook/memory/id'
import { memoryIdOf } from '@daybook/memory/state'
import { type ResolveCursorConnectionArgs, resolveCursorConnection } from '@pothos/plugin-relay'
import type { Context } from '../../context.ts'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { enumOfWords } from './enum-of-words.ts'
import { event } from './event.ts'
import { memoryInterface } from './memory.ts'
import { checkPage, LAST_VERSION, withOwnCursors } from './page.ts'

/** Two versions of a memory, and what differs. */
interface DiffedMemory extends StateDiff {
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
const memoryDiff = builder.objectRef<DiffedMemory>('MemoryDiff')

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

builder.queryField('diff', (t) =>
  t.field({
    type: memoryDiff,
    nullable: true,
    description:
      'What differs between two versions of a memory, forgotten or not. Null if there is no such memory. An error of the code VALIDATION names a version that it does not have, and NOT_FOUND one that was erased.',
    args: {
      id: t.arg.id({ required: true }),
      from: t.arg.int({ required: true, description: 'The version to compare, 1 or more.' }),
      to: t.arg.int({
        description: 'The version to compare it with, earlier or later. Default: the newest.',
      }),
    },
    resolve: (_, { id, from, to }, context) => diff(context, id, from, to ?? null),
  }),
)

async function diff(
  { project }: Context,
  id: string,
  from: number,
  to: number | null,
): Promise<DiffedMemory | null> {
  const ref = parseMemoryId(id)
  if (ref === null) return null
  const { newest, records } = await readMemoryVersions(
    project,
    ref.uuid,
    [from, to ?? 0].filter((version) => version >= 1 && version <= LAST_VERSION),
  )
  if (newest === null) return null
  const find = (field: 'from' | 'to', version: number) => {
    const record = records.get(version)
    if (record === undefined)
      throw new ValidationError(
        field,
        `is not a version of this memory: it has the versions 1 to ${newest}, and ${version} was asked for`,
      )
    return readable(record)
  }
  const [before, after] = [find('from', from), find('to', to ?? newest)]
  if (ref.kind !== null && after.data.state.kind !== ref.kind) return null
  return { before, after, ...diffStates(before.data.state, after.data.state) }
}

const eventConnection = builder.connectionObject({ type: event, name: 'EventConnection' })

builder.interfaceField(memoryInterface, 'history', (t) =>
  t.field({
    type: eventConnection,
    complexity: ({ first }) => listCost(first),
    description: "The memory's events, oldest first.",
    args: { first: t.arg.int({ defaultValue: 20 }), after: t.arg.string() },
    resolve: async ({ state }, args, { project }) => {
      const page = checkPage(args, LAST_VERSION)
      const connection = await resolveCursorConnection(
        { args: page.args, toCursor: ({ envelope }) => String(envelope.version) },
        ({ limit }: ResolveCursorConnectionArgs) =>
          readMemoryEvents(project, state.id, { afterVersion: page.after ?? 0, limit }),
      )
      return withOwnCursors(connection)
    },
  }),
)
