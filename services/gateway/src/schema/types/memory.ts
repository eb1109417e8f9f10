import { decayWeight } from '@daybook/memory/decay'
import { bodyOf, type Memory, memoryIdOf, textOf, titleOf } from '@daybook/memory/state'
import { readMemories } from '@daybook/pgvector/read/read-memories'
import type { Context } from '../../context.ts'
import { builder } from '../builder.ts'
import { memoryKind } from './memory-kind.ts'
import { node } from './node.ts'

/**
 * The interface that every kind implements. A resolver may return a memory or its plain id. All ids of a
 * request are looked up in the read model with one query.
 */
export const memoryInterface = builder.loadableInterfaceRef<Memory, string>('Memory', {
  load: async (ids: string[], context: Context) => {
    const { tables } = await context.readModel()
    const found = await readMemories(context.project, tables, ids)
    return ids.map((id) => found.get(id) ?? null) as Memory[]
  },
})

builder.interfaceType(memoryInterface, {
  description: 'One thing remembered. Every kind implements this and adds its own typed fields.',
  interfaces: [node],
  fields: (t) => ({
    id: t.id({
      resolve: ({ state }) => memoryIdOf(state),
      description: 'The kind and a UUIDv7: insight:0192f0c1-…',
    }),
    kind: t.field({ type: memoryKind, resolve: ({ state }) => state.kind }),
    title: t.string({ resolve: ({ state }) => titleOf(state), description: 'One line for people.' }),
    content: t.string({
      nullable: true,
      resolve: ({ state }) => bodyOf(state),
      description:
        'The main text, whatever the kind: its content, if the kind has that field, else for example the decision or a todo’s description. Null if a fact has only a summary, or an entity only a name.',
    }),
    text: t.string({
      resolve: ({ state }) => textOf(state),
      description: 'The whole text that searches look at.',
    }),
    agent: t.string({ nullable: true, resolve: ({ state }) => state.agent }),
    labels: t.stringList({ resolve: ({ state }) => [...state.labels], complexity: 1 }),
    categories: t.stringList({ resolve: ({ state }) => [...state.categories], complexity: 1 }),
    importance: t.int({ resolve: ({ state }) => state.importance, description: '0 to 10, 5 unless given.' }),
    context: t.string({
      nullable: true,
      resolve: ({ state }) => state.context,
      description: 'A namespace, such as a repository or a conversation.',
    }),
    metadata: t.field({ type: 'JSON', resolve: ({ state }) => state.metadata }),
    occurredAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ state }) => state.occurredAt }),
    expiresAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ state }) => state.expiresAt }),
    version: t.exposeInt('version', {
      description: 'How many events the memory has. Pass it as expectedVersion.',
    }),
    sequence: t.exposeInt('sequence', { description: 'The place of its newest event in the journal.' }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ state }) => state.createdAt }),
    updatedAt: t.field({ type: 'DateTime', resolve: ({ state }) => state.updatedAt }),
    accessedAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: async ({ state }, _, context) =>
        (await context.memoryAccess.load(state.id))?.accessedAt ?? null,
    }),
    accessCount: t.int({
      resolve: async ({ state }, _, context) => (await context.memoryAccess.load(state.id))?.accessCount ?? 0,
      description: 'How often searches and reads returned it.',
    }),
    decayWeight: t.float({
      resolve: async ({ state }, _, context) => {
        const access = await context.memoryAccess.load(state.id)
        return decayWeight(access?.accessedAt ?? state.updatedAt, Date.now())
      },
      description: 'From 1 (just used) towards 0; 0.5 after 30 days.',
    }),
    forgottenAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ state }) => state.forgottenAt }),
  }),
})
