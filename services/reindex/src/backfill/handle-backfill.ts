import type { Embedders } from '@daybook/embeddings/embedders'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { queueTexts, retryTexts, type StoreKey, type TextPlace } from '@daybook/embeddings/store'
import { readFirstEvents } from '@daybook/journal/append/decide-batch'
import { contentHash } from '@daybook/memory/content'
import { UnavailableError } from '@daybook/memory/errors'
import { embeddedTextOf } from '@daybook/memory/state'
import type { OperationHandler, Work } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import { appliedMemories } from '@daybook/projection/apply/applied-memories'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { readPosition } from '@daybook/projection/positions/positions'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { type Projections, projectionOf, readProjects } from '../projects.ts'

/** The parts that a backfill needs. */
interface BackfillParts {
  readonly db: Database
  readonly projections: Projections
  readonly embedders: Embedders
  readonly logger: Logger
}

const PAGE = 250

const POLL_MS = 250

/**
 * Makes the vectors that memories of the live generation lack. It queues texts that the embedding store
 * lacks, retries failed ones at once, and waits until each has its vector or has failed.
 */
export function handleBackfill({
  db,
  projections,
  embedders,
  logger,
}: BackfillParts): OperationHandler<'backfill'> {
  return {
    async run(work) {
      const rebuildable = projectionOf(projections, work.operation.projection)
      const generation = await liveGeneration(db, rebuildable.name)
      if (generation === null) return { done: 0, skipped: 0, failed: 0 }
      const { modelId } = generation
      if ((await embedders.of(modelId)) === null)
        throw new UnavailableError(
          `The reindex service has no embedder for ${modelId} (DAYBOOK_EMBEDDER): start it with one`,
        )
      const { queued, skipped } = await queueMissing(db, work, { name: rebuildable.name, ...generation })
      const vectors = createQueueWorkers({ db, embedders, logger }).want(modelId, async () => {})
      try {
        await work.report({ phase: 'embedding', done: 0, total: queued.length })
        for (;;) {
          work.signal.throwIfAborted()
          const { open, failed } = await countOpenTexts(db, modelId, queued)
          await rebuildable.fillVectors(generation, null)
          await work.report({ done: queued.length - open - failed })
          if (open === 0) return { done: queued.length - failed, skipped, failed }
          await pause(POLL_MS, work.signal)
        }
      } finally {
        await vectors.leave()
      }
    },
  }
}

/**
 * Queues texts without a vector.
 * @returns those texts, each once per project, and how many memories had their vector
 */
async function queueMissing(
  db: Database,
  work: Work,
  { name, generation, modelId }: { name: string; generation: number; modelId: string },
): Promise<{ queued: TextPlace[]; skipped: number }> {
  const { projectId } = work.operation.options
  const queued: TextPlace[] = []
  let skipped = 0
  let looked = 0
  await work.report({ phase: 'looking', done: 0, total: null })
  for (const { scope, id } of await readProjects(db, projectId)) {
    const place = { name, generation }
    const position = await readPosition(db, place, id)
    const key = { projectId: id, modelId }
    const queuedHere = new Map<string, TextPlace>()
    for (let after = 0; ; ) {
      const firsts = await readFirstEvents(scope, { after, upTo: position, limit: PAGE })
      const last = firsts.at(-1)
      if (last === undefined) break
      const memoryIds = firsts.map((row) => row.memory_id)
      const applied = await appliedMemories(scope, place, { memoryIds, position })
      const texts = applied
        .filter(({ newest }) => newest.data.state.forgottenAt === null)
        .map(({ newest }) => embeddedTextOf(newest.data.state))
        .map((text) => ({ hash: contentHash(text), text }))
      const have = await embedded(
        db,
        key,
        texts.map(({ hash }) => hash),
      )
      const missing = texts.filter(({ hash }) => !have.has(hash.toString('hex')))
      await db.transaction().execute(async (trx) => {
        await queueTexts(trx, key, missing)
        await retryTexts(trx, key, missing)
      })
      for (const { hash } of missing) queuedHere.set(hash.toString('hex'), { projectId: id, hash })
      skipped += texts.length - missing.length
      looked += firsts.length
      await work.report({ done: looked })
      after = last.sequence
    }
    for (const text of queuedHere.values()) queued.push(text)
  }
  return { queued, skipped }
}

async function embedded(
  db: Database,
  { projectId, modelId }: StoreKey,
  hashes: readonly Buffer[],
): Promise<Set<string>> {
  const { rows } = await sql<{ hash: string }>`
    select encode(content_hash, 'hex') as hash from embeddings
    where project_id = ${projectId} and model_id = ${modelId} and content_hash = any(array(
        select decode(hash, 'hex') from unnest(${hashes.map((hash) => hash.toString('hex'))}::text[]) as hash))
      and embedded_at is not null`.execute(db)
  return new Set(rows.map((row) => row.hash))
}

/** Counts how many of these texts are still in work, and how many failed. */
export async function countOpenTexts(
  db: Database,
  modelId: string,
  texts: readonly TextPlace[],
): Promise<{ open: number; failed: number }> {
  const counts = { open: 0, failed: 0 }
  for (let from = 0; from < texts.length; from += 5_000) {
    const page = texts.slice(from, from + 5_000)
    const projects = page.map(({ projectId }) => projectId)
    const hashes = page.map(({ hash }) => hash.toString('hex'))
    const { rows } = await sql<{ open: number; failed: number }>`
      select count(*) filter (where last_error is null) as open, count(*) filter (where last_error is not null) as failed
      from (
        select project_id, decode(hash, 'hex') as content_hash
        from unnest(${projects}::uuid[], ${hashes}::text[]) as given(project_id, hash) offset 0
      ) given
      cross join lateral (
        select embedded_at, last_error from embeddings
        where project_id = given.project_id and model_id = ${modelId} and content_hash = given.content_hash offset 0
      ) e
      where e.embedded_at is null`.execute(db)
    counts.open += rows[0]?.open ?? 0
    counts.failed += rows[0]?.failed ?? 0
  }
  return counts
}
