import type { UndoItem } from '@daybook/journal/undo/undo-plan'
import type { Operation } from '@daybook/operations/operation'
import { operation } from '../admin/operation.ts'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { READ } from '../needs.ts'
import { checkFirst } from './page.ts'

/** What an undo would do, and the operation that does it. */
export interface Undo {
  readonly dryRun: boolean
  readonly changes: readonly UndoItem[]
  readonly refusals: readonly UndoItem[]
  readonly sequence: number
  readonly operation: Operation | null
}

/** The most items in one answer. */
const ITEMS_MAX = 1_000

const undoAction = builder.enumType('UndoAction', {
  description: 'What an undo does with a memory.',
  values: {
    FORGET: { description: 'It leaves the indexes: it did not exist then, or was forgotten.' },
    RESTORE: { description: 'It goes back to `toVersion`.' },
    REFUSE: { description: 'It stays as it is; `reason` says why.' },
  } as const,
})

const undoItem = builder.objectType(builder.objectRef<UndoItem>('UndoItem'), {
  description: 'One memory of an undo.',
  fields: (t) => ({
    memoryId: t.id({ resolve: ({ id, memoryId }) => id ?? memoryId }),
    title: t.exposeString('title', {
      nullable: true,
      description:
        'Null if its content was erased, or is withheld by a quarantine from a key without the scope ADMIN.',
    }),
    action: t.field({
      type: undoAction,
      resolve: ({ refused, forgets }) => (refused === null ? (forgets ? 'FORGET' : 'RESTORE') : 'REFUSE'),
    }),
    happened: t.stringList({
      description: 'The types of the events that are undone, oldest first.',
      complexity: 1,
      resolve: ({ happened }) => [...happened],
    }),
    fromVersion: t.exposeInt('fromVersion', { description: 'Its version now.' }),
    toVersion: t.int({
      nullable: true,
      description: 'The version whose state comes back; null if it did not exist then, or is refused.',
      resolve: ({ toVersion }) => (toVersion === 0 ? null : toVersion),
    }),
    code: t.string({
      nullable: true,
      description: 'CHANGED_SINCE, ERASED or UNREADABLE if it is refused.',
      resolve: ({ refused }) => refused?.code ?? null,
    }),
    reason: t.string({ nullable: true, resolve: ({ refused }) => refused?.reason ?? null }),
  }),
})

/** The type `Undo`. */
export const undo = builder.objectRef<Undo>('Undo')

builder.objectType(undo, {
  description:
    'What an undo would do, or is about to do. Its events have the operation’s id as their `correlationId`.',
  fields: (t) => {
    const list = (name: 'changes' | 'refusals', description: string) =>
      t.field({
        ...READ,
        type: [undoItem],
        description: `${description} At most ${ITEMS_MAX}.`,
        args: { first: t.arg.int({ defaultValue: 100 }) },
        complexity: ({ first }) => listCost(first),
        resolve: (all, { first }) =>
          all[name].slice(0, checkFirst(first, { fallback: 100, most: ITEMS_MAX })),
      })
    return {
      dryRun: t.exposeBoolean('dryRun'),
      changed: t.int({
        description: 'Memories that change.',
        resolve: ({ changes }) => changes.length,
      }),
      refused: t.int({
        description: 'Memories that are covered and stay as they are.',
        resolve: ({ refusals }) => refusals.length,
      }),
      changes: list('changes', 'The memories that change, in the order of what is undone.'),
      refusals: list('refusals', 'The memories that stay as they are, and why.'),
      sequence: t.exposeInt('sequence', {
        description: 'The journal’s end: what comes after it is not undone.',
      }),
      operation: t.field({
        type: operation,
        nullable: true,
        description: 'What does it; null for a dry run. Ask `operation` how far it is.',
        resolve: (one) => one.operation,
      }),
    }
  },
})
