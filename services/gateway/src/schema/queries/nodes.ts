import { ValidationError } from '@daybook/memory/errors'
import { findMemories } from '../../find-memories.ts'
import { builder } from '../builder.ts'
import { listCost, PAGE_MAX } from '../limits.ts'
import { node } from '../types/node.ts'

builder.queryField('nodes', (t) =>
  t.field({
    type: [node],
    nullable: { list: false, items: true },
    complexity: ({ ids }) => listCost(ids.length),
    description: `Several at once, at most ${PAGE_MAX}, in the order of their ids; null for what there is not.`,
    args: { ids: t.arg.idList({ required: true }) },
    resolve: (_, { ids }, context) => {
      if (ids.length > PAGE_MAX) throw new ValidationError('ids', `must be at most ${PAGE_MAX}`)
      return findMemories(context, ids)
    },
  }),
)
