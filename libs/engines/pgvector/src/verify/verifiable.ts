import {
  compareLexicalIndex,
  comparePostings,
  repairLexicalIndex,
  repairPostings,
} from '@daybook/lexical-index/verify'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import type { Generation } from '@daybook/projection/generations/generations'
import { holdPosition } from '@daybook/projection/positions/positions'
import type { Verifiable } from '@daybook/projection/verify/verifiable'
import { type RawBuilder, sql } from 'kysely'
import { formerWords } from '../former-words.ts'
import { generationTables, PGVECTOR } from '../generation-tables.ts'
import { rewriteMemories } from '../write/rewrite-memories.ts'
import { compareMemories } from './compare-memories.ts'

/** Compares a generation's rows with the journal and rewrites them. */
export function pgvectorVerifiable(db: Database, generation: Generation): Verifiable {
  const tables = generationTables(generation.generation)
  const ref = { name: PGVECTOR, generation: generation.generation }
  return {
    name: PGVECTOR,
    generation: generation.generation,
    async projects() {
      const found = new Set<string>()
      for (const table of [
        tables.memories,
        tables.versions,
        tables.postings,
        tables.formerPostings,
        tables.lexicalStats,
        tables.vectors,
        tables.waiting,
      ])
        for (const id of await projectsIn(db, table)) found.add(id)
      return [...found]
    },
    compare: (scope, memoryIds) => compareMemories(scope, generation, memoryIds),
    async compareIndexes(scope, signal) {
      const present = await compareLexicalIndex(scope, tables, signal)
      const former = await comparePostings(scope, formerWords(tables), 'the index of former words', signal)
      return {
        problems: [...present.problems, ...former.problems],
        memoryIds: [...new Set([...present.memoryIds, ...former.memoryIds])],
      }
    },
    async repairIndexes(scope, signal) {
      const hold = (trx: DatabaseTransaction) => holdPosition(trx, ref, scope.projectId)
      await repairLexicalIndex(scope, tables, hold, signal)
      await repairPostings(scope, formerWords(tables), hold, signal)
    },
    async surplus({ db: bound, projectId }) {
      const { rows } = await sql<{ memory_id: string }>`
        select memory_id from (
          select memory_id from ${tables.memories} where project_id = ${projectId}
          union select memory_id from ${tables.versions} where project_id = ${projectId}
          union select memory_id from ${tables.vectors} where project_id = ${projectId}
          union select memory_id from ${tables.waiting} where project_id = ${projectId}
        ) held
        where not exists (
          select from events e where e.project_id = ${projectId} and e.memory_id = held.memory_id and e.version = 1)`.execute(
        bound,
      )
      return rows.map((row) => row.memory_id)
    },
    rewrite: (scope, memoryIds, options) => rewriteMemories(scope, generation, memoryIds, options),
  }
}

/**
 * Finds each next project by the key, which begins with the project: there may be millions of rows but few
 * projects.
 */
async function projectsIn(db: Database, table: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    with recursive found as (
      (select project_id from ${table} order by project_id limit 1)
      union all
      select next.project_id from found cross join lateral (
        select project_id from ${table} where project_id > found.project_id order by project_id limit 1) next
    )
    select project_id from found`.execute(db)
  return rows.map((row) => row.project_id)
}
