import type { MemoryFilter } from '@daybook/memory/filter'
import { indexedFilterCondition } from '@daybook/pgvector/read/filter'
import { type RawBuilder, sql } from 'kysely'
import type { RetrieverInput } from '../retriever-input.ts'

/** All memories that satisfy a search's condition. */
export interface Few {
  /** Their ids, as Postgres writes a `uuid[]`. */
  readonly ids: string
  /** Holds 1 at the number of each. */
  readonly numbers: Uint8Array
}

/** Null if they are many. The first call reads them, the others get the same. */
export type ReadFew = () => Promise<Few | null>

/**
 * Fewer memories than this are compared one by one. The HNSW index is scanned ten times as far for a filter that
 * leaves a tenth, and in vain for one that leaves much less (docs/measurements.md#filtered-searches-by-meaning).
 */
export const FEW = 10_000

/**
 * @param filter if the condition is nothing else: then an index answers, not the rows
 * @param most for tests
 */
export function readFewOnce(
  input: Pick<RetrieverInput, 'scope' | 'readModel' | 'condition'>,
  filter: MemoryFilter | null,
  most = FEW,
): ReadFew {
  let reading: Promise<Few | null> | undefined
  return () => {
    reading ??= readFew(input, filter, most)
    // Whoever waits for it gets the failure.
    reading.catch(() => {})
    return reading
  }
}

interface Row {
  readonly count: number
  readonly last: number
  readonly ids: string | null
  readonly numbers: Buffer | null
}

async function readFew(
  { scope, readModel, condition }: Pick<RetrieverInput, 'scope' | 'readModel' | 'condition'>,
  filter: MemoryFilter | null,
  most: number,
): Promise<Few | null> {
  const which = (satisfies: RawBuilder<boolean>) => sql`
    select m.memory_id, m.number from ${readModel.tables.memories} m
    where m.project_id = ${scope.projectId} and ${satisfies}`
  // An index has the contexts, in another order.
  const found =
    filter === null || filter.context !== undefined
      ? which(condition)
      : sql`${which(indexedFilterCondition(filter))}
          union all ${which(sql<boolean>`m.filter_labels is null and ${condition}`)}`
  const { rows } = await sql<Row>`
    select count(*)::int as count, coalesce(max(number), 0) as last, array_agg(memory_id)::text as ids,
      string_agg(int4send(number), '') as numbers
    from (select * from (${found}) satisfying limit ${most}) few`.execute(scope.db)
  const { count = 0, last = 0, ids = null, numbers = null } = rows[0] ?? {}
  if (count >= most) return null
  return { ids: ids ?? '{}', numbers: marks(numbers ?? Buffer.alloc(0), last) }
}

function marks(numbers: Buffer, last: number): Uint8Array {
  const marked = new Uint8Array(last + 1)
  for (let at = 0; at < numbers.length; at += 4) marked[numbers.readInt32BE(at)] = 1
  return marked
}
