import { checkFilter } from '@daybook/memory/filter'
import { listMemories } from '@daybook/pgvector/read/read-memories'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { memoryInterface } from '../types/memory.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import { checkPage, toConnection } from '../types/page.ts'

const memoryConnection = builder.connectionObject({ type: memoryInterface, name: 'MemoryConnection' })

builder.queryField('memories', (t) =>
  t.field({
    type: memoryConnection,
    complexity: ({ first }) => listCost(first),
    description: 'Memories that the filter means, newest first.',
    args: {
      filter: t.arg({ type: memoryFilter }),
      first: t.arg.int({ defaultValue: 20 }),
      after: t.arg.string(),
    },
    resolve: async (_, args, context) => {
      const page = checkPage(args)
      const { tables } = await context.readModel()
      const rows = await listMemories(context.project, tables, {
        filter: checkFilter(args.filter),
        before: page.after,
        limit: page.first + 1,
      })
      return toConnection(rows, page, { cursor: (row) => row.firstSequence, node: (row) => row })
    },
  }),
)
