import { contentHash } from '@daybook/embeddings/store'
import { embeddedTextOf } from '@daybook/memory/state'
import type { Database } from '@daybook/postgres/connect'
import type { Generation } from '@daybook/projection/generations'
import { parkEvents } from '@daybook/projection/parked-events'
import { setPosition } from '@daybook/projection/positions'
import type { LoadTarget } from '@daybook/projection/rebuild/load-target'
import { type GenerationTables, generationTables, PGVECTOR } from './generation-tables.ts'
import { memoryRow } from './memory-row.ts'
import { countLexicalStats, insertPageOfPostings } from './post-lexical.ts'
import { insertVersions, upsertMemories } from './post-memories.ts'
import { requestVectors } from './post-vectors.ts'

/**
 * A generation of the Postgres read model, as a rebuild fills it. Rows of a batch are one transaction; the lexical index
 * follows by pages, and the vectors' index is built at the end (`create-generation.ts`).
 */
export function pgvectorLoadTarget(generation: Generation): LoadTarget {
  const tables = generationTables(generation.generation)
  const place = { name: PGVECTOR, generation: generation.generation }
  return {
    async load({ db, projectId }, { memories, events, parked }) {
      const rows = memories.map(({ newest, number, firstSequence }) =>
        memoryRow(newest, { number, firstSequence }),
      )
      await db.transaction().execute(async (trx) => {
        await parkEvents(trx, place, projectId, parked)
        if (rows.length > 0) await upsertMemories(trx, tables, projectId, rows)
        if (events.length > 0) await insertVersions(trx, tables, projectId, events)
        await requestVectors(trx, tables, generation, projectId, rows)
      })
    },
    endPage: (scope, first, last) => insertPageOfPostings(scope, tables, { first, last }),
    endProject: ({ db, projectId }, { head, memories }) =>
      db.transaction().execute(async (trx) => {
        await countLexicalStats(trx, tables, projectId, memories + 1)
        await setPosition(trx, place, projectId, head)
      }),
  }
}
