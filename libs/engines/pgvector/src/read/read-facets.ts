import { type FacetName, type Facets, facetsOf } from '@daybook/memory/facets'
import type { MemoryFilter } from '@daybook/memory/filter'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'
import { filterCondition } from './filter.ts'
import type { ReadTables } from './live-read-model.ts'
import { memoriesAsOf } from './past-memories.ts'
import type { PastMoment } from './read-memories.ts'

/** A value with its count, or with `value` null the sum over `listed` values that are not told one by one. */
interface CountRow {
  readonly facet: FacetName | 'memories'
  readonly value: string | null
  readonly memories: number
  readonly listed: number
}

/** One facet's values, each with the memories that have it, of the rows in `counted`. */
const COUNTS: Readonly<Record<FacetName, RawBuilder<unknown>>> = {
  labels: sql`select 'labels' as facet, value, count(*) as memories from counted, unnest(labels) as value group by value`,
  kinds: sql`select 'kinds', upper(kind), count(*) from counted group by kind`,
  categories: sql`select 'categories', value, count(*) from counted, unnest(categories) as value group by value`,
  entityTypes: sql`select 'entityTypes', entity_type, count(*) from counted where entity_type is not null group by entity_type`,
  agents: sql`select 'agents', agent, count(*) from counted where agent is not null group by agent`,
  contexts: sql`select 'contexts', context, count(*) from counted where context is not null group by context`,
}

/**
 * Counts the memories that match the filter, by all facets. It reads the memories once and returns at most
 * `most` + 1 rows a facet, however many values there are.
 * @param past counts them as they were. Default: as they are
 */
export async function readFacets(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  {
    filter,
    most,
    past = null,
  }: { readonly filter: MemoryFilter; readonly most: number; readonly past?: PastMoment | null },
): Promise<Facets> {
  const source = past === null ? tables.memories : memoriesAsOf(tables, projectId, past.sequence)
  const at = past === null ? undefined : sql`${past.moment}::timestamptz`
  // Materialised, because each facet would else read the memories again, whose rows are wide
  // (docs/measurements.md#counting-facets).
  const { rows } = await sql<CountRow>`
    with counted as materialized (
      select m.labels, m.kind, m.categories, m.agent, m.context,
        case when m.kind = 'entity' then m.state->'content'->>'type' end as entity_type
      from ${source} m
      where m.project_id = ${projectId} and ${filterCondition(tables, filter, at)}
    ), valued as (
      ${sql.join(Object.values(COUNTS), sql` union all `)}
    ), ranked as (
      select facet, value, memories,
        row_number() over (partition by facet order by memories desc, value collate "C") as place
      from valued
    )
    select facet, value, memories::bigint as memories, 1::bigint as listed from ranked where place <= ${most}
    union all
    select facet, null, sum(memories)::bigint, count(*) from ranked where place > ${most} group by facet
    union all
    select 'memories', null, count(*), 0 from counted`.execute(db)
  const of = (name: CountRow['facet']) => rows.filter(({ facet }) => facet === name)
  return {
    memories: of('memories')[0]?.memories ?? 0,
    facets: facetsOf((name) => {
      const listed = of(name).flatMap(({ value, memories }) =>
        value === null ? [] : [{ value, count: memories }],
      )
      const others = of(name).find(({ value }) => value === null)
      return {
        values: listed.toSorted(
          (a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)),
        ),
        others: { values: others?.listed ?? 0, count: others?.memories ?? 0 },
      }
    }),
  }
}
