import type { Generation } from '@daybook/projection/generations/generations'
import {
  ensurePosition,
  lockPosition,
  readPlace,
  savePosition,
} from '@daybook/projection/positions/positions'
import type { Projection } from '@daybook/projection/projection'
import { generationTables, PGVECTOR } from '../generation-tables.ts'
import { eraseMemories } from './erase-memories.ts'
import { rewindReadModel } from './rewind-read-model.ts'
import { writeBatch } from './write-batch.ts'

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
