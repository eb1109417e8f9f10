import { queueTexts, requeueTexts } from '@daybook/embeddings/store'
import { countLexicalStats, insertSegmentPostings } from '@daybook/lexical-index/write'
import { parkEvents } from '@daybook/projection/apply/parked-events'
import { applyToGeneration } from '@daybook/projection/engine/apply-to-generation'
import type { WriteOptions } from '@daybook/projection/engine/engine'
import type { Generation } from '@daybook/projection/generations/generations'
import { createGeneration } from '@daybook/projection/generations/swap-generations'
import {
  ensurePosition,
  lockPosition,
  readPlace,
  savePosition,
  setPosition,
} from '@daybook/projection/positions/positions'
import type { Projection } from '@daybook/projection/projection'
import type { LoadTarget } from '@daybook/projection/rebuild/load-project'
import type {
  LoadTargetOptions,
  RebuildableProjection,
} from '@daybook/projection/rebuild/rebuildable-projection'
import { sql } from 'kysely'
import { formerWords } from '../former-words.ts'
import { generationTables, LAYOUT_VERSION, PGVECTOR } from '../generation-tables.ts'
import { findProblem } from '../verify/compare-memories.ts'
import { pgvectorVerifiable } from '../verify/verifiable.ts'
import { buildVectorIndex, dropGeneration, gatherStatistics, PGVECTOR_LAYOUT } from './create-generation.ts'
import { eraseMemories, removeProject, rewindReadModel } from './erase-memories.ts'
import { writeBatch } from './write-batch.ts'
import { memoryRow, upsertMemories } from './write-memories.ts'
import { fillAllVectors, fillVectors, insertStoredVectors, queueLiveTexts, textsOf } from './write-vectors.ts'
import { pastVersions, supersededTexts, textsOfVersions, versionOf, writeVersions } from './write-versions.ts'

/** What the projection needs besides the common options. */
export interface PgvectorRebuildableProjectionOptions extends WriteOptions {
  /**
   * The database has one connection, on which everybody waits for each statement (the embedded one).
   * Statements are kept short then: batches come one at a time, and a large vector index grows with its rows
   * instead of being built at once.
   */
  readonly oneConnection: boolean
  /** Parallel workers that Postgres may use for the vector index, besides the session's own process. */
  readonly indexWorkers: number
}

/** Batches loaded at the same time on a server. */
const PARALLEL = 3

/**
 * Up to so many memories the vector index is built at once even on the embedded database, where everybody
 * waits: PGlite takes half a second for 2,000 vectors of 384 numbers, and a seventh of it for their signs.
 */
const BUILT_IN_ONE_GO = 2_000

/** The Postgres read model for projectors, rebuilds and verifications. */
export function pgvectorRebuildableProjection(
  options: PgvectorRebuildableProjectionOptions,
): RebuildableProjection {
  const { db, oneConnection, indexWorkers } = options
  return {
    name: PGVECTOR,
    parallel: oneConnection ? 1 : PARALLEL,
    layoutVersion: LAYOUT_VERSION,
    problemOf: (generation) => findProblem(db, generation),
    writesLate: false,
    create: (model, builder) => createGeneration(db, PGVECTOR_LAYOUT, model, builder),
    async prepare(generation, memories, fence) {
      if (oneConnection && memories > BUILT_IN_ONE_GO) await buildVectorIndex(db, generation, 0, fence)
    },
    loadTarget: (generation, load) =>
      pgvectorLoadTarget(generation, { ...load, vectorsAtOnce: !oneConnection }),
    async fillVectors(generation, fence) {
      await fillAllVectors(db, generationTables(generation.generation), generation, fence)
    },
    async pendingVectors({ generation }) {
      const { rows } = await sql<{ pending: number }>`
        select count(*) as pending from ${generationTables(generation).waiting}`.execute(db)
      return rows[0]?.pending ?? 0
    },
    async buildIndexes(generation, fence) {
      await buildVectorIndex(db, generation, oneConnection ? 0 : indexWorkers, fence)
      // The embedded database always plans without statistics, and no query there needs them.
      if (!oneConnection) await gatherStatistics(db, generation.generation, fence)
    },
    apply(generation) {
      const tables = generationTables(generation.generation)
      return applyToGeneration(options, generation, {
        projection: pgvectorProjection(generation),
        verifiable: pgvectorVerifiable(db, generation),
        async vectorsStored(hashes) {
          await (hashes.length > 0
            ? fillVectors(db, tables, generation, hashes)
            : fillAllVectors(db, tables, generation))
        },
        embedsEarly: true,
        checksJournal: true,
      })
    },
    check: (generation) => pgvectorVerifiable(db, generation),
    removeProject: (generation, scope, how) => removeProject(scope, generation, how),
    drop: (generation) => dropGeneration(db, generation),
  }
}

/**
 * A generation of the Postgres read model, as a rebuild fills it. The rows of a batch are written in one
 * transaction; the lexical index follows page by page. With `vectorsAtOnce` rows are written together with
 * the vectors that the store has, which suits a table whose vectors have no index yet. Otherwise rows wait,
 * and vectors are filled in small steps.
 */
function pgvectorLoadTarget(
  generation: Generation,
  { regenerateBefore, fence, vectorsAtOnce }: LoadTargetOptions & { readonly vectorsAtOnce: boolean },
): LoadTarget {
  const { modelId } = generation
  const tables = generationTables(generation.generation)
  const ref = { name: PGVECTOR, generation: generation.generation }
  return {
    async load({ db, projectId }, { before, memories, events, parked }) {
      const rows = memories.map(({ newest, number, firstSequence }) =>
        memoryRow(newest, { number, firstSequence }),
      )
      const versions = [...(before === null ? [] : [before]), ...events].map(versionOf)
      const superseded = supersededTexts(versions)
      await db.transaction().execute(async (trx) => {
        await fence.hold(trx)
        await parkEvents(trx, ref, projectId, parked)
        await writeVersions(trx, tables, projectId, pastVersions(versions), superseded)
        const pastTexts = textsOfVersions([...superseded, ...rows.filter((row) => row.forgotten)])
        if (regenerateBefore === null) await queueTexts(trx, { projectId, modelId }, pastTexts)
        else await requeueTexts(trx, { projectId, modelId }, pastTexts, regenerateBefore)
        if (rows.length === 0) return
        if (regenerateBefore === null) await queueLiveTexts(trx, generation, projectId, rows)
        else await requeueTexts(trx, { projectId, modelId }, textsOf(rows), regenerateBefore)
        const storedVectorsOf = vectorsAtOnce ? modelId : null
        await upsertMemories(trx, tables, projectId, rows, { storedVectorsOf })
        if (vectorsAtOnce) await insertStoredVectors(trx, tables, generation, projectId, rows)
      })
    },
    async endPage({ db, projectId }, first, last) {
      await db.transaction().execute(async (trx) => {
        await fence.hold(trx)
        await insertSegmentPostings(trx, tables, projectId, first, last)
        await insertSegmentPostings(trx, formerWords(tables), projectId, first, last)
      })
    },
    endProject: ({ db, projectId }, { head, memories }) =>
      db.transaction().execute(async (trx) => {
        await fence.hold(trx)
        await countLexicalStats(trx, tables, projectId, memories + 1)
        await setPosition(trx, ref, projectId, head)
      }),
  }
}

/**
 * The Postgres read model. Rows and position change in one transaction, so an event takes effect exactly
 * once.
 */
export function pgvectorProjection(generation: Generation): Projection {
  const ref = { name: PGVECTOR, generation: generation.generation }
  const tables = generationTables(generation.generation)
  return {
    ...ref,
    position: ({ db, projectId }) => readPlace(db, ref, projectId),
    async apply({ db, projectId }, batch) {
      if (batch.from.sequence === 0) await ensurePosition(db, ref, projectId)
      await db.transaction().execute(async (trx) => {
        await lockPosition(trx, ref, projectId, batch, { unflushed: true })
        await eraseMemories(trx, tables, projectId, batch.erased)
        await writeBatch(trx, tables, generation, projectId, batch.events)
        await savePosition(trx, ref, projectId, batch)
      })
    },
    rewind: (scope, way) => rewindReadModel(scope, generation, way),
  }
}
