import { authorsOf } from '@daybook/memory/authors'
import { ValidationError } from '@daybook/memory/errors'
import { decayWeight } from '@daybook/memory/expiry'
import { parseMemoryId } from '@daybook/memory/id'
import { KIND_NAMES } from '@daybook/memory/kinds/index'
import { bodyOf, type Memory, type MemoryState, memoryIdOf, textOf, titleOf } from '@daybook/memory/state'
import { type Trust, trustIn, USUAL_TRUST } from '@daybook/memory/trust'
import { isWithheld } from '@daybook/pgvector/read/access'
import { readMemories } from '@daybook/pgvector/read/read-memories'
import type { Quarantine } from '@daybook/postgres/access/quarantines'
import type { Context } from '../../context.ts'
import {
  AS_OF,
  findMemories,
  findMemory,
  pastMoment,
  readAtLeast,
  refuseBehind,
  requireAtLeast,
} from '../../find-memories.ts'
import { requireNotParked } from '../../parked-events.ts'
import { builder } from '../builder.ts'
import { AT_LEAST_HASH, listCost, PAGE_MAX } from '../limits.ts'
import { enumOfWords } from './enum-of-words.ts'
import { trustLevel, writer } from './writer.ts'

/** Relay's Node, with our own ids instead of the plugin's base64. */
export const node = builder.interfaceRef<unknown>('Node')

builder.interfaceType(node, {
  description: 'Anything that has an id.',
  fields: (t) => ({
    id: t.id({
      resolve: () => {
        throw new Error('every type that implements Node gives its own id')
      },
    }),
  }),
})

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

/** The enum of kinds: `STASH`, `INSIGHT`, … */
export const memoryKind = enumOfWords('MemoryKind', KIND_NAMES)

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

builder.queryField('memory', (t) =>
  t.field({
    type: memoryInterface,
    nullable: true,
    args: {
      id: t.arg.id({ required: true }),
      atLeast: t.arg.int({
        description:
          'Waits at most 5 s until this sequence is readable. The error is BEHIND if it is not, and PARKED if an event of this memory up to it could not be applied.',
      }),
      atLeastHash: t.arg.string({ description: AT_LEAST_HASH }),
      asOf: t.arg({
        type: 'DateTime',
        description: `${AS_OF} A memory that was forgotten then says so. Its access counts are those of today.`,
      }),
    },
    resolve: (_, { id, atLeast, atLeastHash, asOf }, context) =>
      readAtLeast(context, { atLeast, atLeastHash }, async (behind) => {
        refuseBehind(behind)
        const past = await pastMoment(context, asOf)
        await requireAtLeast(context, past?.sequence, null)
        const ref = parseMemoryId(id)
        if (ref !== null) await requireNotParked(context, ref.uuid, past?.sequence ?? atLeast)
        return findMemory(context, id, past)
      }),
  }),
)

builder.queryField('node', (t) =>
  t.field({
    type: node,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_, { id }, context) => findMemory(context, id),
  }),
)

const memoryQuarantine = builder.objectRef<Quarantine>('MemoryQuarantine')

builder.objectType(memoryQuarantine, {
  description: 'Why a memory is in no search, list or count: an author of what it says is in quarantine.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', resolve: ({ beganAt }) => beganAt }),
    reason: t.exposeString('reason'),
  }),
})

/** How far a memory is trusted now. */
export async function trustOfMemory({ keyTrust }: Context, state: MemoryState): Promise<Trust> {
  const keys = authorsOf(state).map(({ key }) => key)
  const found = new Map(await Promise.all(keys.map(async (key) => [key, await keyTrust.load(key)] as const)))
  return trustIn(state, (key) => found.get(key) ?? USUAL_TRUST)
}

async function quarantineOf(context: Context, state: MemoryState): Promise<Quarantine | null> {
  const { tables } = await context.readModel()
  if (!isWithheld(tables.withheld, state)) return null
  const all = await context.lastingQuarantines()
  return (
    all.find(({ keyIds, agent }) =>
      isWithheld({ keys: keyIds, agents: agent === null ? [] : [agent] }, state),
    ) ?? null
  )
}

builder.interfaceFields(memoryInterface, (t) => ({
  writtenBy: t.field({
    type: writer,
    nullable: true,
    resolve: ({ state }) => state.writtenBy ?? null,
    description: 'Who last changed the content; null if nobody noted it, as before writers were noted.',
  }),
  editedBy: t.field({
    type: writer,
    nullable: true,
    resolve: ({ state }) => state.editedBy ?? null,
    description:
      'Another author: who has changed anything else since, such as labels or metadata, else who wrote what is left of the content; null if there is none. Forgetting, restoring and ticking off do not count.',
  }),
  trust: t.field({
    type: trustLevel,
    resolve: ({ state }, _, context) => trustOfMemory(context, state),
    description: 'The lower trust of the two, as their keys are trusted now.',
  }),
  quarantine: t.field({
    type: memoryQuarantine,
    nullable: true,
    resolve: ({ state }, _, context) => quarantineOf(context, state),
    description:
      'Not null if the memory is withheld: reading it by its id is then the only way to it. Treat what it says with suspicion.',
  }),
}))
