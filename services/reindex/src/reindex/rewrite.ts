import type { RewriteResult } from '@daybook/operations/operation-types'
import type { Work } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import {
  type Generation,
  type GenerationRef,
  liveGeneration,
} from '@daybook/projection/generations/generations'
import { readPosition } from '@daybook/projection/positions/positions'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import { sql } from 'kysely'
import { readProjects } from '../projects.ts'

/** Which memories to rewrite in place. */
export interface RepostOptions {
  readonly projectId: string | null
  /** Null for all kinds. */
  readonly kinds: readonly string[] | null
  /** Only memories with events in this range of sequences. Null for all. */
  readonly range: { readonly from: number; readonly to: number } | null
  /** Called with the memories of a page before they are rewritten. */
  readonly beforePage?: (
    scope: ProjectScope,
    live: GenerationRef & Generation,
    memoryIds: readonly string[],
  ) => Promise<void>
}

/** Memories rewritten in one transaction. */
const PAGE = 200

interface Checkpoint {
  readonly projectId: string
  readonly after: number
  readonly rewritten: number
}

/**
 * Rewrites memories in the live generation, page by page, each page in one transaction (or under one lease).
 * A search sees a memory either as it was or as it is. Repeating a page after a crash gives the same result.
 */
export async function rewrite(
  db: Database,
  rebuildable: RebuildableProjection,
  { projectId, kinds, range, beforePage }: RepostOptions,
  work: Work,
): Promise<RewriteResult> {
  const generation = await liveGeneration(db, rebuildable.name)
  if (generation === null) return { rewritten: 0 }
  const verifiable = rebuildable.check(generation)
  const projects = await readProjects(db, projectId)
  const resumed = work.checkpoint as Checkpoint | null
  let rewritten = resumed?.rewritten ?? 0
  const total = projects.reduce(
    (sum, { head }) => sum + Math.min(head, range?.to ?? head) - (range?.from ?? 1) + 1,
    0,
  )
  await work.report({ phase: 'rewriting', done: 0, total: Math.max(0, total) })
  let behind = 0
  for (const { scope, id } of projects) {
    if (resumed !== null && id < resumed.projectId) continue
    const position = await readPosition(db, verifiable, id)
    const last = Math.min(position, range?.to ?? position)
    let after = resumed?.projectId === id ? resumed.after : (range?.from ?? 1) - 1
    while (after < last) {
      const upTo = Math.min(after + PAGE, last)
      const { rows } = await sql<{ memory_id: string }>`
        select distinct memory_id from events
        where project_id = ${id} and sequence > ${after} and sequence <= ${upTo}
          and (${range !== null} or version = 1)
          and (${kinds === null} or data->'state'->>'kind' = any(${kinds ?? []}::text[]))`.execute(db)
      const memoryIds = rows.map((row) => row.memory_id)
      if (memoryIds.length > 0) {
        await beforePage?.(scope, { ...generation, name: rebuildable.name }, memoryIds)
        await verifiable.rewrite(scope, memoryIds)
      }
      rewritten += rows.length
      after = upTo
      await work.report({ done: behind + after, checkpoint: { projectId: id, after, rewritten } })
    }
    behind += last
  }
  return { generation: generation.generation, rewritten }
}
