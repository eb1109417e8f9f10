import { createHash } from 'node:crypto'
import { requeueLostTexts } from '@daybook/embeddings/store'
import { sortedJson } from '@daybook/memory/canonical-json'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { appliedStates } from '@daybook/projection/apply/applied-memories'
import { unparkMemories } from '@daybook/projection/apply/parked-events'
import { holdPosition } from '@daybook/projection/positions/positions'
import type { Verifiable } from '@daybook/projection/verify/verifiable'
import { sql } from 'kysely'
import { type HeldGeneration, type HeldMemory, hold, toHeld, waits } from './held-generation.ts'

/** Compares what is held with the states in the journal. While it compares, nobody writes the project. */
export function inMemoryVerifiable(held: HeldGeneration): Verifiable {
  const { projection, modelId } = held.generation
  const ref = { name: projection, generation: held.generation.generation }
  const atPosition = <T>(
    { db, projectId }: ProjectScope,
    work: (trx: DatabaseTransaction, position: number) => Promise<T>,
  ) => db.transaction().execute(async (trx) => work(trx, (await holdPosition(trx, ref, projectId)).sequence))
  return {
    ...ref,
    projects: async () => [...held.projects].flatMap(([id, { size }]) => (size === 0 ? [] : [id])),
    compare: (scope, memoryIds) =>
      atPosition(scope, async (trx, position) => {
        const own = projectScope(trx, scope.projectId)
        const wanted = await toHeld(held, own, await appliedStates(own, ref, { memoryIds, position }))
        const wantedOf = new Map(wanted.map((one) => [one.memory.state.id, one]))
        const project = held.projects.get(scope.projectId)
        const queued = await queuedTexts(trx, scope.projectId, modelId)
        return {
          memories: memoryIds.map((memoryId) =>
            compare(memoryId, wantedOf.get(memoryId), project?.get(memoryId), queued),
          ),
          pending: memoryIds.filter((id) => isPending(project?.get(id), queued)).length,
        }
      }),
    compareIndexes: () => Promise.resolve({ problems: [], memoryIds: [] }),
    repairIndexes: () => Promise.resolve(),
    async surplus({ db, projectId }) {
      const ids = [...(held.projects.get(projectId)?.keys() ?? [])]
      const { rows } = await sql<{ memory_id: string }>`
        select memory_id from unnest(${ids}::uuid[]) as held(memory_id) where not exists (
          select from events e
          where e.project_id = ${projectId} and e.memory_id = held.memory_id and e.version = 1)`.execute(db)
      return rows.map((row) => row.memory_id)
    },
    rewrite: (scope, memoryIds, options = {}) =>
      atPosition(scope, async (trx, position) => {
        const own = projectScope(trx, scope.projectId)
        const states = await appliedStates(own, ref, { memoryIds, position, ...options })
        const memories = await toHeld(held, own, states)
        const lacking = memories.filter(waits).map(({ text }) => text)
        await requeueLostTexts(trx, { projectId: scope.projectId, modelId }, lacking)
        if (options.unpark === true) await unparkMemories(trx, ref, scope.projectId, memoryIds)
        await hold(trx, held, scope.projectId, memories, memoryIds)
      }),
  }
}

/** The hashes of texts that memories rightly wait for: they are in the queue, or have just left it. */
async function queuedTexts(
  trx: DatabaseTransaction,
  projectId: string,
  modelId: string,
): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('embeddings')
    .select('content_hash')
    .where('project_id', '=', projectId)
    .where('model_id', '=', modelId)
    .execute()
  return new Set(rows.map(({ content_hash: hash }) => hash.toString('hex')))
}

const isPending = (one: HeldMemory | undefined, queued: ReadonlySet<string>): boolean =>
  one !== undefined && waits(one) && queued.has(one.text.hash.toString('hex'))

function compare(
  memoryId: string,
  wanted: HeldMemory | undefined,
  found: HeldMemory | undefined,
  queued: ReadonlySet<string>,
) {
  // A memory whose vectors are still being made rightly lacks them, even if they arrive at this moment.
  const pending = isPending(found, queued)
  const digests = [wanted, found].map((one) => (one === undefined ? null : digest(one, !pending)))
  const lacks = wanted !== undefined && waits(wanted) && !pending
  return {
    memoryId,
    wanted: digests[0] ?? null,
    held: digests[1] ?? null,
    differs: [
      ...(digests[0] === digests[1] ? [] : [found === undefined ? 'missing' : 'row']),
      ...(lacks ? ['vectors'] : []),
    ],
  }
}

const digest = ({ memory, lexemes, chunks }: HeldMemory, withVectors: boolean): string =>
  createHash('sha256')
    .update(sortedJson([memory, [...lexemes], withVectors ? chunks : null]))
    .digest('hex')
