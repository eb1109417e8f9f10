import { applyToGeneration } from '@daybook/projection/engine/apply-to-generation'
import type { WriteOptions } from '@daybook/projection/engine/engine'
import { createGeneration } from '@daybook/projection/generations/make-generation'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import { sql } from 'kysely'
import { generationTables, LAYOUT_VERSION, PGVECTOR } from '../generation-tables.ts'
import { findProblem } from '../verify/find-problem.ts'
import { pgvectorVerifiable } from '../verify/verifiable.ts'
import { buildVectorIndex, dropGeneration, gatherStatistics, PGVECTOR_LAYOUT } from './create-generation.ts'
import { pgvectorLoadTarget } from './load-generation.ts'
import { pgvectorProjection } from './pgvector-projection.ts'
import { removeProject } from './remove-project.ts'
import { fillAllVectors, fillVectors } from './write-vectors.ts'

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
