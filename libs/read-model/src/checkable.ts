import type { Generation } from '@daybook/projection/generations'
import type { Checkable } from '@daybook/projection/verify/checkable'
import { sql } from 'kysely'
import { compareLexicalIndex, repairLexicalIndex } from './compare-lexical.ts'
import { compareMemories } from './compare-memories.ts'
import { generationTables, PGVECTOR } from './generation-tables.ts'
import { repostMemories } from './repost-memories.ts'

/** The rows of a generation, as they are held against the journal and posted anew. */
export function pgvectorCheckable(generation: Generation): Checkable {
  const tables = generationTables(generation.generation)
  const { memories, versions, vectors } = tables
  return {
    name: PGVECTOR,
    generation: generation.generation,
    compare: (scope, memoryIds) => compareMemories(scope, generation, memoryIds),
    compareIndexes: (scope, signal) => compareLexicalIndex(scope, generation, signal),
    repairIndexes: (scope, signal) => repairLexicalIndex(scope, generation, signal),
    async surplus({ db, projectId }) {
      const { rows } = await sql<{ memory_id: string }>`
        select memory_id from (
          select memory_id from ${memories} where project_id = ${projectId}
          union select memory_id from ${versions} where project_id = ${projectId}
          union select memory_id from ${vectors} where project_id = ${projectId}
        ) held
        where not exists (
          select from events e where e.project_id = ${projectId} and e.memory_id = held.memory_id and e.version = 1)`.execute(
        db,
      )
      return rows.map((row) => row.memory_id)
    },
    repost: (scope, memoryIds, options) => repostMemories(scope, generation, memoryIds, options),
  }
}
