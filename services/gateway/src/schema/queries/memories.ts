import { checkFilter } from '@daybook/memory/check-filter'
import { listMemories } from '@daybook/pgvector/read/read-memories'
import { type ResolveCursorConnectionArgs, resolveCursorConnection } from '@pothos/plugin-relay'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { memoryInterface } from '../types/memory.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import { checkPage, withOwnCursors } from '../types/page.ts'

const memoryConnection = builder.connectionObject({ type: memoryInterface, name: 'MemoryConnection' })

builder.queryField('memories', (t) =>
  t.field({
    type: memoryConnection,
    complexity: ({ first }) => listCost(first),
    description: 'The memories that match the filter, newest first.',
    args: {
      filter: t.arg({ type: memoryFilter }),
      first: t.arg.int({ defaultValue: 20 }),
      after: t.arg.string(),
    },
    resolve: async (_, args, { project, readModel }) => {
      const [page, filter] = [checkPage(args), checkFilter(args.filter)]
      const { tables } = await readModel()
      const connection = await resolveCursorConnection(
        { args: page.args, toCursor: ({ firstSequence }) => String(firstSequence) },
        ({ limit }: ResolveCursorConnectionArgs) =>
          listMemories(project, tables, { filter, before: page.after, limit }),
      )
      return withOwnCursors(connection)
    },
  }),
)
