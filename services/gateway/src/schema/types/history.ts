import { readMemoryEvents } from '@daybook/journal/read/read'
import { type ResolveCursorConnectionArgs, resolveCursorConnection } from '@pothos/plugin-relay'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { event } from './event.ts'
import { memoryInterface } from './memory.ts'
import { checkPage, LAST_VERSION, withOwnCursors } from './page.ts'

const eventConnection = builder.connectionObject({ type: event, name: 'EventConnection' })

builder.interfaceField(memoryInterface, 'history', (t) =>
  t.field({
    type: eventConnection,
    complexity: ({ first }) => listCost(first),
    description: "The memory's events, oldest first.",
    args: { first: t.arg.int({ defaultValue: 20 }), after: t.arg.string() },
    resolve: async ({ state }, args, { project }) => {
      const page = checkPage(args, LAST_VERSION)
      const connection = await resolveCursorConnection(
        { args: page.args, toCursor: ({ envelope }) => String(envelope.version) },
        ({ limit }: ResolveCursorConnectionArgs) =>
          readMemoryEvents(project, state.id, { afterVersion: page.after ?? 0, limit }),
      )
      return withOwnCursors(connection)
    },
  }),
)
