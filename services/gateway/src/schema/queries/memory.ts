import { parseMemoryId } from '@daybook/memory/id'
import { readAtLeast, refuseBehind, requireAtLeast } from '../../at-least.ts'
import { findMemory } from '../../find-memory.ts'
import { requireNotParked } from '../../parked-behind.ts'
import { AS_OF, pastMoment } from '../../past-moment.ts'
import { builder } from '../builder.ts'
import { AT_LEAST_HASH } from '../hash-arguments.ts'
import { memoryInterface } from '../types/memory.ts'
import { node } from '../types/node.ts'

builder.queryField('memory', (t) =>
  t.field({
    type: memoryInterface,
    nullable: true,
    args: {
      id: t.arg.id({ required: true }),
      atLeast: t.arg.int({
        description:
          'Waits at most 5 s until this sequence is readable. The error is BEHIND if it is not, and PARKED if an event of this memory up to it could not be applied.',
      }),
      atLeastHash: t.arg.string({ description: AT_LEAST_HASH }),
      asOf: t.arg({
        type: 'DateTime',
        description: `${AS_OF} A memory that was forgotten then says so. Its access counts are those of today.`,
      }),
    },
    resolve: (_, { id, atLeast, atLeastHash, asOf }, context) =>
      readAtLeast(context, { atLeast, atLeastHash }, async (behind) => {
        refuseBehind(behind)
        const past = await pastMoment(context, asOf)
        await requireAtLeast(context, past?.sequence, null)
        const ref = parseMemoryId(id)
        if (ref !== null) await requireNotParked(context, ref.uuid, past?.sequence ?? atLeast)
        return findMemory(context, id, past)
      }),
  }),
)

builder.queryField('node', (t) =>
  t.field({
    type: node,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_, { id }, context) => findMemory(context, id),
  }),
)
