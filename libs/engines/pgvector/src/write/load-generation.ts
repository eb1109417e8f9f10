import { queueTexts, requeueTexts } from '@daybook/embeddings/store'
import { countLexicalStats, insertSegmentPostings } from '@daybook/lexical-index/write'
import { parkEvents } from '@daybook/projection/apply/parked-events'
import type { Generation } from '@daybook/projection/generations/generations'
import { setPosition } from '@daybook/projection/positions/positions'
import type { LoadTarget } from '@daybook/projection/rebuild/load-target'
import type { LoadTargetOptions } from '@daybook/projection/rebuild/rebuildable-projection'
import { formerWords } from '../former-words.ts'
import { generationTables, PGVECTOR } from '../generation-tables.ts'
import { memoryRow } from './memory-row.ts'
import { upsertMemories } from './write-memories.ts'
import { insertStoredVectors, queueLiveTexts, textsOf } from './write-vectors.ts'
import { pastVersions, supersededTexts, textsOfVersions, versionOf, writeVersions } from './write-versions.ts'

/**
 * A generation of the Postgres read model, as a rebuild fills it. The rows of a batch are written in one
 * transaction; the lexical index follows page by page. With `vectorsAtOnce` rows are written together with
 * the vectors that the store has, which suits a table whose vectors have no index yet. Otherwise rows wait,
 * and vectors are filled in small steps.
 */
export function pgvectorLoadTarget(
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
