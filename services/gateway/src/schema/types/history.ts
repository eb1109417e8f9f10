import { readMemoryEvents } from '@daybook/journal/read/read'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { event } from './event.ts'
import { memoryInterface } from './memory.ts'
import { checkPage, LAST_VERSION, toConnection } from './page.ts'

const eventConnection = builder.connectionObject({ type: event, name: 'EventConnection' })

builder.interfaceField(memoryInterface, 'history', (t) =>
  t.field({
    type: eventConnection,
    complexity: ({ first }) => listCost(first),
    description: "The memory's events, oldest first.",
    args: { first: t.arg.int({ defaultValue: 20 }), after: t.arg.string() },
    resolve: async ({ state }, args, { project }) => {
      const page = checkPage(args, LAST_VERSION)
      const events = await readMemoryEvents(project, state.id, {
        afterVersion: page.after ?? 0,
        limit: page.first + 1,
      })
      return toConnection(events, page, { cursor: (row) => row.envelope.version, node: (row) => row })
    },
  }),
)
