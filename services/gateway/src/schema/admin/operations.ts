import { isUuid } from '@daybook/memory/id'
import { listOperations, readOperation } from '@daybook/operations/read'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { operationAccess } from '../operation-access.ts'
import { checkFirst } from '../types/page.ts'
import { operation } from './operation.ts'

builder.queryFields((t) => ({
  operation: t.field({
    type: operation,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_, { id }, context) => {
      const { db, projectId } = operationAccess(context)
      return isUuid(id) ? readOperation(db, id, projectId) : null
    },
  }),
  operations: t.field({
    type: [operation],
    description:
      'The newest first. A key that may not run the whole Daybook sees those of its own project, such as undos.',
    args: { first: t.arg.int({ defaultValue: 20 }), active: t.arg.boolean({ defaultValue: false }) },
    complexity: ({ first }) => listCost(first),
    resolve: (_, { first, active }, context) => {
      const { db, projectId } = operationAccess(context)
      const most = checkFirst(first, { fallback: 20 })
      return listOperations(db, { first: most, active: active ?? false, projectId })
    },
  }),
}))
