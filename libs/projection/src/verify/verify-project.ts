import { createHash } from 'node:crypto'
import { readFirstEvents } from '@daybook/journal/append/decide-batch'
import { readChangedMemories } from '@daybook/journal/read/read'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { createPace } from '@daybook/runtime/timers'
import { readPosition } from '../positions/positions.ts'
import type { ComparedMemory, Verifiable } from './verifiable.ts'

/** A memory whose content in the projection differs from the journal. */
export interface Difference {
  readonly memoryId: string
  readonly differs: readonly string[]
}

/** The result of comparing one project of a projection with its journal. */
export interface Verification {
  /** The position up to which the journal was read. */
  readonly position: number
  /** Memories compared. */
  readonly memories: number
  /**
   * SHA-256 over the memories' digests according to the journal and to the projection. Equal if nothing
   * differs.
   */
  readonly journalDigest: string
  readonly projectionDigest: string
  readonly differences: readonly Difference[]
  /** What is wrong with indexes over all memories, in words. */
  readonly indexProblems: readonly string[]
  /** Memories whose vectors are still being made. */
  readonly pending: number
}

/** How much to verify. */
export interface VerifyOptions {
  /** Compares only memories with events after this sequence, and no indexes. Default 0: everything. */
  readonly since?: number
  readonly signal: AbortSignal
  /** Called with the number of memories compared since the last call. */
  readonly onProgress?: (memories: number) => Promise<void>
}

/**
 * Memories compared in one statement. The embedded database takes about 100 ms for it, and everybody else
 * waits meanwhile.
 */
const PAGE = 250

/**
 * Compares a projection with the fold of the journal. Nothing is changed, and it may run beside writers and
 * projectors: each page is compared as of one moment, at that moment's position.
 */
export async function verifyProject(
  scope: ProjectScope,
  verifiable: Verifiable,
  { since = 0, signal, onProgress }: VerifyOptions,
): Promise<Verification> {
  const position = await readPosition(scope.db, verifiable, scope.projectId)
  const digests = { wanted: createHash('sha256'), held: createHash('sha256') }
  const differences = new Map<string, Set<string>>()
  const indexProblems: string[] = []
  const pace = createPace()
  let memories = 0
  let heldMemories = 0
  let pending = 0

  const add = ({ memoryId, wanted, held, differs }: ComparedMemory) => {
    if (wanted !== null) digests.wanted.update(`${memoryId} ${wanted}\n`)
    if (held !== null) digests.held.update(`${memoryId} ${held}\n`)
    if (differs.length > 0)
      differences.set(memoryId, new Set([...(differences.get(memoryId) ?? []), ...differs]))
  }

  for await (const ids of since === 0
    ? allMemories(scope, position)
    : changedMemories(scope, since, position)) {
    signal.throwIfAborted()
    const page = await pace.step(ids.length, () => verifiable.compare(scope, ids), signal)
    for (const one of page.memories) add(one)
    heldMemories += page.memories.filter(({ held }) => held !== null).length
    memories += ids.length
    pending += page.pending
    await onProgress?.(ids.length)
  }
  if (since === 0) {
    const { problems, memoryIds } = await verifiable.compareIndexes(scope, signal)
    for (const memoryId of memoryIds)
      add({ memoryId, wanted: null, held: 'indexed otherwise', differs: ['words'] })
    for (const problem of problems) digests.held.update(`${problem}\n`)
    indexProblems.push(...problems)
    const surplus = (await verifiable.surplus(scope, heldMemories)).map(
      (memoryId): ComparedMemory => ({ memoryId, wanted: null, held: 'surplus', differs: ['surplus'] }),
    )
    for (const one of surplus) add(one)
  }
  return {
    position,
    memories,
    journalDigest: digests.wanted.digest('hex'),
    projectionDigest: digests.held.digest('hex'),
    differences: [...differences].map(([memoryId, parts]) => ({ memoryId, differs: [...parts] })),
    indexProblems,
    pending,
  }
}

/** Pages of memory ids in the order of first appearance. */
async function* allMemories(scope: ProjectScope, position: number): AsyncGenerator<string[]> {
  for (let after = 0; ; ) {
    const rows = await readFirstEvents(scope, { after, upTo: position, limit: PAGE })
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map((row) => row.memory_id)
    if (rows.length < PAGE) return
    after = last.sequence
  }
}

/**
 * Pages of memory ids. A memory that changed often appears several times, which costs work but does no harm.
 */
async function* changedMemories(
  scope: ProjectScope,
  since: number,
  position: number,
): AsyncGenerator<string[]> {
  for (let after = since; after < position; after += PAGE) {
    const changed = await readChangedMemories(scope, { after, upTo: Math.min(after + PAGE, position) })
    if (changed.length > 0) yield changed
  }
}

/** Memories rewritten together. */
const REPOSTED_TOGETHER = 100

/**
 * Rewrites what differs and compares it again.
 * @returns what still differs
 */
export async function repairProject(
  scope: ProjectScope,
  verifiable: Verifiable,
  { differences, indexProblems }: Pick<Verification, 'differences' | 'indexProblems'>,
  { signal, onProgress }: Pick<VerifyOptions, 'signal' | 'onProgress'>,
): Promise<readonly Difference[]> {
  if (indexProblems.length > 0) await verifiable.repairIndexes(scope, signal)
  const ids = differences.map(({ memoryId }) => memoryId)
  const left: Difference[] = []
  for (let from = 0; from < ids.length; from += REPOSTED_TOGETHER) {
    signal.throwIfAborted()
    const page = ids.slice(from, from + REPOSTED_TOGETHER)
    await verifiable.rewrite(scope, page)
    const { memories } = await verifiable.compare(scope, page)
    left.push(...memories.filter(({ differs }) => differs.length > 0))
    await onProgress?.(page.length)
  }
  return left.map(({ memoryId, differs }) => ({ memoryId, differs }))
}
