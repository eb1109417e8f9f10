import { ValidationError } from '@daybook/memory/errors'
import { checkFilter } from '@daybook/memory/filter'
import { parseMemoryIdPrefix } from '@daybook/memory/id'
import { listMemories, listMemoriesAsOf, readIdRange, STILL_OPEN } from '@daybook/pgvector/read/read-memories'
import { type ResolveCursorConnectionArgs, resolveCursorConnection } from '@pothos/plugin-relay'
import { AS_OF, pastMoment, requireAtLeast } from '../../find-memories.ts'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { memoryInterface } from '../types/memory.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import { checkPage, withOwnCursors } from '../types/page.ts'

/** A page of memories. */
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
      atLeast: t.arg.int({
        description: 'Waits at most 5 s until this sequence is listed. The error is BEHIND if it is not.',
      }),
      asOf: t.arg({ type: 'DateTime', description: AS_OF }),
    },
    resolve: async (_, args, context) => {
      const { project } = context
      const [page, filter] = [checkPage(args), checkFilter(args.filter)]
      const past = await pastMoment(context, args.asOf)
      await requireAtLeast(context, past?.sequence ?? args.atLeast, null)
      const { tables } = await context.readModel()
      const list = (asked: Parameters<typeof listMemories>[2]) =>
        past === null ? listMemories(project, tables, asked) : listMemoriesAsOf(project, tables, past, asked)
      const connection = await resolveCursorConnection(
        { args: page.args, toCursor: ({ firstSequence }) => String(firstSequence) },
        ({ limit }: ResolveCursorConnectionArgs) => list({ filter, before: page.after, limit }),
      )
      return withOwnCursors(connection)
    },
  }),
)

/** Enough to name five, and to know whether there are others. */
const ALIKE = 6

builder.queryField('memoriesByPrefix', (t) =>
  t.field({
    type: [memoryInterface],
    description: `The memories whose ids begin so, in the order of their ids: ${ALIKE} at most. Forgotten ones too, but not those in quarantine.`,
    args: {
      prefix: t.arg.id({
        required: true,
        description:
          '4 or more hexadecimal digits of the UUID, with or without the kind before them: `3f2a91c`, `note:3f2a91c`.',
      }),
    },
    resolve: async (_, { prefix }, { project, readModel }) => {
      const range = parseMemoryIdPrefix(prefix)
      if (range === null)
        throw new ValidationError('prefix', 'must be the beginning of an id, 4 digits or more')
      const { tables } = await readModel()
      return readIdRange(project, tables, range, ALIKE)
    },
  }),
)

/** Registers the list of the memories of a kind that nobody has closed. */
function openField(name: string, kind: keyof typeof STILL_OPEN, description: string): void {
  builder.queryField(name, (t) =>
    t.field({
      type: memoryConnection,
      complexity: ({ first }) => listCost(first),
      description,
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
            listMemories(project, tables, { filter, before: page.after, limit, also: STILL_OPEN[kind] }),
        )
        return withOwnCursors(connection)
      },
    }),
  )
}

openField('openTodos', 'todo', 'Todos without `resolvedAt`, newest first.')

openField(
  'activeSessions',
  'session',
  'Sessions whose `status` is not closed, newest first. One without a status counts as active.',
)
