import { filterCondition } from '@daybook/pgvector/read/filter'
import type { ReadTables } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import type { Matrix } from '../layout/matrix.ts'

/**
 * Memories per statement. On the embedded database, where everybody waits for it, some 30 ms.
 */
const PAGE = 250

/** Memories with their vectors: the row of the matrix at the same place. */
export interface MemoryVectors {
  readonly ids: readonly string[]
  readonly vectors: Matrix
}

interface VectorRow {
  readonly memory_id: string
  readonly first_sequence: number
  readonly vector: string | null
}

/**
 * Reads the vectors of the memories that can be found, the newest first. That of a long memory is the mean of its chunks'.
 * @param most memories
 * @param onRead gets how many were read so far. It may throw to end the reading
 */
export async function readMemoryVectors(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  dimension: number,
  { most, onRead }: { readonly most: number; onRead(read: number): Promise<void> },
): Promise<MemoryVectors> {
  const ids: string[] = []
  const vectors: Float32Array[] = []
  for (let before: number | null = null; ids.length < most; ) {
    const { rows }: { rows: VectorRow[] } = await sql<VectorRow>`
      select p.memory_id, p.first_sequence, (
        select avg(v.embedding)::text from ${tables.vectors} v
        where v.project_id = ${projectId} and v.memory_id = p.memory_id
      ) as vector
      from (
        select m.memory_id, m.first_sequence from ${tables.memories} m
        where m.project_id = ${projectId} and ${filterCondition(tables, {})}
          and (${before}::bigint is null or m.first_sequence < ${before})
        order by m.first_sequence desc limit ${PAGE}
      ) p order by p.first_sequence desc`.execute(db)
    for (const { memory_id, vector } of rows)
      if (vector !== null && ids.length < most) {
        ids.push(memory_id)
        vectors.push(unit(JSON.parse(vector) as number[]))
      }
    await onRead(ids.length)
    if (rows.length < PAGE) break
    before = rows.at(-1)?.first_sequence ?? null
  }
  const values = new Float32Array(ids.length * dimension)
  for (const [row, vector] of vectors.entries()) values.set(vector, row * dimension)
  return { ids, vectors: { rows: ids.length, columns: dimension, values } }
}

/** Of the length 1, so that distances are those of meanings: a mean is shorter. */
function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector)
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length))
}
