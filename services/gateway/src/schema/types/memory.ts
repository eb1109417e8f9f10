import { decayWeight } from '@daybook/memory/decay'
import { bodyOf, type Memory, type MemoryState, memoryIdOf, textOf, titleOf } from '@daybook/memory/state'
import { readMemories } from '@daybook/pgvector/read/read-memories'
import { isWithheld } from '@daybook/pgvector/read/withheld'
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

/**
 * A memory that another one names, by its plain id; null if there is none, or if it is in quarantine: only who asks for
 * it by its own id gets it then. All of a request are read with one query.
 */
export async function memoryById(context: Context, id: string | null | undefined): Promise<Memory | null> {
  if (id == null) return null
  const { tables } = await context.readModel()
  const memory = (await memoryInterface.getDataloader(context).load(id)) as Memory | null
  return memory === null || isWithheld(tables.withheld, memory.state) ? null : memory
}

const documentPart = builder.objectRef<MemoryState>('DocumentPart')
builder.objectType(documentPart, {
  description: 'The place of a text in a document that is too long for one memory.',
  fields: (t) => ({
    number: t.int({ resolve: ({ part }) => part?.number ?? 1, description: '1, 2, 3, …' }),
    document: t.field({
      type: memoryInterface,
      nullable: true,
      resolve: ({ part }, _, context) => memoryById(context, part?.document),
      description: 'The document, which is its first part and has the externalId.',
    }),
    parts: t.field({
      type: [memoryInterface],
      complexity: { multiplier: 3 },
      resolve: async ({ part, id }, _, context) => {
        const ids = await context.documentParts.load(part?.document ?? id)
        const parts = await Promise.all(ids.map((each) => memoryById(context, each)))
        return parts.filter((each) => each !== null)
      },
      description: 'All parts in order. Their contents, joined without anything between, are the whole text.',
    }),
  }),
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
        return decayWeight(access?.accessedAt ?? state.updatedAt, Date.now(), context.parts.config.halfLifeMs)
      },
      description: 'From 1 (just used) towards 0; 0.5 after the half-life (DAYBOOK_HALF_LIFE, 30 days).',
    }),
    supersedes: t.field({
      type: memoryInterface,
      nullable: true,
      resolve: ({ state }, _, context) => memoryById(context, state.supersedes),
      description: 'The memory that this one replaces.',
    }),
    supersededBy: t.field({
      type: memoryInterface,
      nullable: true,
      resolve: async ({ state }, _, context) =>
        memoryById(context, await context.supersededBy.load(state.id)),
      description:
        'The memory that replaces this one, the newest if there are several; null if there is none that is remembered now.',
    }),
    part: t.field({
      type: documentPart,
      nullable: true,
      resolve: ({ state }) => (state.part === undefined ? null : state),
      description: 'Which part of a long document it is; null for everything else.',
    }),
    forgottenAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ state }) => state.forgottenAt }),
    shared: t.boolean({
      resolve: (memory, _, context) => context.isShared(memory),
      description:
        'Whether its newest version is at the home of the project. False only in a project that follows another Daybook, for what was written while that could not be reached.',
    }),
  }),
})
