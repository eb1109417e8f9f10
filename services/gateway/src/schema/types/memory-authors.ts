import { authorsOf } from '@daybook/memory/authors'
import type { MemoryState } from '@daybook/memory/state'
import { type Trust, trustIn, USUAL_TRUST } from '@daybook/memory/trust'
import { isWithheld } from '@daybook/pgvector/read/withheld'
import type { Quarantine } from '@daybook/postgres/access/quarantines'
import type { Context } from '../../context.ts'
import { builder } from '../builder.ts'
import { memoryInterface } from './memory.ts'
import { trustLevel, writer } from './writer.ts'

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
