import { listOperations, readOperation } from '@daybook/operations/read'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { requireAdmin } from '../require-admin.ts'
import { checkFirst } from '../types/page.ts'
import { isUuid } from './check-arguments.ts'
import { operation } from './operation.ts'

builder.queryFields((t) => ({
  operation: t.field({
    type: operation,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_, { id }, context) => {
      const db = requireAdmin(context)
      return isUuid(id) ? readOperation(db, id) : null
    },
  }),
  operations: t.field({
    type: [operation],
    description: 'The newest first.',
    args: { first: t.arg.int({ defaultValue: 20 }), active: t.arg.boolean({ defaultValue: false }) },
    complexity: ({ first }) => listCost(first),
    resolve: (_, { first, active }, context) => {
      const db = requireAdmin(context)
      return listOperations(db, { first: checkFirst(first, { fallback: 20 }), active: active ?? false })
    },
  }),
}))
