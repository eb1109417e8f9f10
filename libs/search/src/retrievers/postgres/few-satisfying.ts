import type { MemoryFilter } from '@daybook/memory/filter'
import { indexedFilterCondition } from '@daybook/pgvector/read/filter'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'

/** Where memories are looked for, and what they must satisfy (`constraint.ts`). */
interface Selection {
  readonly scope: ProjectScope
  readonly readModel: LiveReadModel
  readonly condition: RawBuilder<boolean>
}

/** All memories that satisfy a search's condition. */
export interface SelectedMemories {
  /** Their ids, as Postgres writes a `uuid[]`; null if they are more than `LOOKED_UP`. */
  readonly ids: string | null
  /** Holds 1 at the number of each. */
  readonly numbers: Uint8Array
}

/**
 * Fewer memories than this are compared one by one. The HNSW index is scanned ten times as far for a filter that
 * leaves a tenth, and in vain for one that leaves much less (docs/measurements.md#filtered-searches-by-meaning).
 */
const FEW = 10_000

/** So many are looked up by their ids sooner than they are picked from all. */
const LOOKED_UP = 1_000

/** So many of a project are many, whatever `FEW` says: the HNSW index finds enough of them sooner. */
const SHARE = 1 / 8

interface Row {
  readonly count: number
  /** The highest number. */
  readonly last: number
  /** As many are no longer few; null if the project has no memories. */
  readonly most: number | null
  readonly ids: string | null
  readonly numbers: Buffer
}

/**
 * Reads the memories that satisfy a condition; null if they are many.
 *
 * @param filter if the condition is nothing else: then an index answers, not the rows
 * @param most for tests
 */
export async function readFew(
  { scope, readModel, condition }: Selection,
  filter: MemoryFilter | null,
  most = FEW,
): Promise<SelectedMemories | null> {
  const which = (satisfies: RawBuilder<boolean>) => sql`
    select m.memory_id, m.number from ${readModel.tables.memories} m
    where m.project_id = ${scope.projectId} and ${satisfies}`
  // An index has the contexts, in another order, and it has no writers' agents.
  const found =
    filter === null || filter.context !== undefined || readModel.tables.withheld.agents.length > 0
      ? which(condition)
      : sql`${which(indexedFilterCondition(readModel.tables, filter))}
          union all ${which(sql<boolean>`m.filter_labels is null and ${condition}`)}`
  const { rows } = await sql<Row>`
    with allowed as materialized (
      select least(${most}::int, greatest(${LOOKED_UP + 1}, (memories * ${SHARE}::float8)::int)) as most
      from ${readModel.tables.lexicalStats} where project_id = ${scope.projectId}
    )
    select count(*)::int as count, coalesce(max(number), 0) as last, (select most from allowed) as most,
      (case when count(*) <= ${LOOKED_UP} then coalesce(array_agg(memory_id), '{}') end)::text as ids,
      coalesce(string_agg(int4send(number), ''), '') as numbers
    from (select * from (${found}) satisfying limit (select most from allowed)) few`.execute(scope.db)
  const [row] = rows
  // A project without statistics is empty.
  if (row === undefined || row.most === null) return { ids: '{}', numbers: new Uint8Array(1) }
  return row.count >= row.most ? null : { ids: row.ids, numbers: marks(row.numbers, row.last) }
}

function marks(numbers: Buffer, last: number): Uint8Array {
  const marked = new Uint8Array(last + 1)
  for (let at = 0; at < numbers.length; at += 4) marked[numbers.readInt32BE(at)] = 1
  return marked
}
