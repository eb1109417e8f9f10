import { ConflictError, LimitExceededError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import type { TransitionName } from '@daybook/memory/transitions'
import { builder } from '../builder.ts'
import { reviseInput, toReviseInput } from '../types/memory-inputs.ts'
import { appendChange, written } from './remember.ts'

/** Registers the mutation of a transition, which changes one memory of its kind. */
function transitionField(name: TransitionName, description: string): void {
  builder.mutationField(name, (t) =>
    t.field({
      type: reviseResult,
      description: `${description} Nothing is written if it is so already.`,
      args: {
        id: t.arg.id({ required: true }),
        expectedVersion: t.arg.int({
          description: 'Refuses the change if the memory is at another version.',
        }),
        idempotencyKey: t.arg.string(),
      },
      resolve: (_, given, context) => appendChange(context, given, { type: name }),
    }),
  )
}

transitionField('resolveTodo', 'Sets a todo’s `resolvedAt` to now.')

transitionField('reopenTodo', 'Empties a todo’s `resolvedAt`.')

transitionField('closeSession', 'Sets a session’s `status` to closed.')

/**
 * The result of changing an existing memory: the union `resultName` of the success and the possible refusals.
 */
function changeResult(resultName: string, name: string, description: string) {
  return builder.errorUnion(resultName, {
    types: [written(name, description), ValidationError, ConflictError, NotFoundError, LimitExceededError],
    resolveType: () => name,
  })
}

const forgetResult = changeResult(
  'ForgetResult',
  'Forgotten',
  'The memory. It has left the indexes and stays in the journal.',
)

builder.mutationField('forget', (t) =>
  t.field({
    type: forgetResult,
    description: 'Takes a memory out of the indexes. It stays in the journal, and restore brings it back.',
    args: {
      id: t.arg.id({ required: true }),
      expectedVersion: t.arg.int(),
      idempotencyKey: t.arg.string(),
    },
    resolve: (_, given, context) => appendChange(context, given, { type: 'forget' }),
  }),
)

const restoreResult = changeResult('RestoreResult', 'Restored', 'The memory as it is again.')

builder.mutationField('restore', (t) =>
  t.field({
    type: restoreResult,
    description: 'Undo: restores an earlier version, or a forgotten memory, as a new version.',
    args: {
      id: t.arg.id({ required: true }),
      version: t.arg.int({ description: 'The version to restore; required unless the memory is forgotten.' }),
      expectedVersion: t.arg.int(),
      idempotencyKey: t.arg.string(),
      expiresAt: t.arg({
        type: 'DateTime',
        description:
          'When it expires from now on. If absent: as at that version, or never if that moment has passed.',
      }),
    },
    resolve: (_, { version, expiresAt, ...given }, context) => {
      if (version != null && version < 1) throw new ValidationError('version', 'must be 1 or more')
      return appendChange(context, given, {
        type: 'restore',
        ...(version == null ? {} : { version }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      })
    },
  }),
)

/** The result of every change of a memory's own fields. */
const reviseResult = changeResult(
  'ReviseResult',
  'Revised',
  'The memory as it is now. Nothing is written where nothing changed.',
)

builder.mutationField('revise', (t) =>
  t.field({
    type: reviseResult,
    description: 'Changes only the given fields.',
    args: {
      id: t.arg.id({ required: true }),
      input: t.arg({ type: reviseInput, required: true }),
      expectedVersion: t.arg.int({
        description: 'Refuses the change if the memory is at another version.',
      }),
      idempotencyKey: t.arg.string(),
    },
    resolve: (_, { input, ...given }, context) =>
      appendChange(context, given, { type: 'revise', input: toReviseInput(input) }),
  }),
)
