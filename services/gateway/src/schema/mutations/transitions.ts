import type { TransitionName } from '@daybook/memory/transitions'
import { builder } from '../builder.ts'
import { appendChange } from './request.ts'
import { reviseResult } from './revise.ts'

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
