import type { MemoryFilter } from '@daybook/memory/filter'
import { type Growth, type GrowthSeries, type GrowthUnit, growthUnit } from '@daybook/memory/growth'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { filterCondition } from './filter.ts'
import type { ReadTables } from './live-read-model.ts'

interface SpanRow {
  readonly first: string | null
  readonly last: string | null
}

/** The memories of one time, kind and context, or its events: then `kind` is null. */
interface CountRow {
  readonly start: string
  readonly kind: string | null
  readonly context: string | null
  readonly count: number
}

/** What is counted, and in whose days. */
export interface GrowthRequest {
  readonly filter: MemoryFilter
  /** An IANA name that the database knows. */
  readonly timeZone: string
  /** The most values that are told one by one, of kinds and of contexts. */
  readonly most: number
}

/**
 * Counts the memories that match by when they were remembered, and the events of them by when they were recorded. It reads
 * both once; the answer has at most 400 times.
 */
export async function readGrowth(
  scope: ProjectScope,
  tables: ReadTables,
  { filter, timeZone, most }: GrowthRequest,
): Promise<Growth> {
  const { db, projectId } = scope
  const { rows: spans } = await sql<SpanRow>`
    select min(m.created_at) as first, max(m.created_at) as last from ${tables.memories} m
    where m.project_id = ${projectId} and ${filterCondition(tables, { ...filter, includeForgotten: true })}`.execute(
    db,
  )
  const [span] = spans
  const from = span?.first == null ? Date.now() : Date.parse(span.first)
  const unit = growthUnit(from, Math.max(Date.now(), span?.last == null ? 0 : Date.parse(span.last)))
  const start = (column: string) =>
    sql`to_char(date_trunc(${sql.lit(unit)}, ${sql.ref(column)} at time zone ${timeZone}), 'YYYY-MM-DD')`
  const { rows } = await sql<CountRow>`
    select ${start('m.created_at')} as start, m.kind, m.context, count(*) as count from ${tables.memories} m
    where m.project_id = ${projectId} and ${filterCondition(tables, filter)}
    group by 1, 2, 3
    union all
    select ${start('e.recorded_at')}, null, null, count(*)
    from events e join ${tables.memories} m on m.project_id = e.project_id and m.memory_id = e.memory_id
    where e.project_id = ${projectId} and ${filterCondition(tables, { ...filter, includeForgotten: true })}
    group by 1`.execute(db)
  return toGrowth(rows, unit, most)
}

function toGrowth(rows: readonly CountRow[], unit: GrowthUnit, most: number): Growth {
  const starts = between(
    rows.map(({ start }) => start),
    unit,
  )
  const places = new Map(starts.map((start, place) => [start, place]))
  const count = (some: readonly CountRow[]): number[] => {
    const counts = starts.map(() => 0)
    for (const row of some) {
      const place = places.get(row.start)
      if (place !== undefined) counts[place] = (counts[place] as number) + row.count
    }
    return counts
  }
  const ofMemories = rows.filter(({ kind }) => kind !== null)
  const series = (valueOf: (row: CountRow) => string | null): GrowthSeries[] => {
    const totals = new Map<string, number>()
    for (const row of ofMemories) {
      const value = valueOf(row)
      if (value !== null) totals.set(value, (totals.get(value) ?? 0) + row.count)
    }
    const listed = [...totals]
      .toSorted(([one, a], [other, b]) => b - a || Buffer.compare(Buffer.from(one), Buffer.from(other)))
      .slice(0, most)
      .map(([value]) => value)
    const rest = ofMemories.filter((row) => !listed.includes(valueOf(row) ?? ''))
    return [
      ...listed.map((value) => ({
        value,
        counts: count(ofMemories.filter((row) => valueOf(row) === value)),
      })),
      ...(rest.length === 0 ? [] : [{ value: null, counts: count(rest) }]),
    ]
  }
  const remembered = count(ofMemories)
  return {
    unit,
    starts,
    memories: remembered.reduce((sum, one) => sum + one, 0),
    remembered,
    events: count(rows.filter(({ kind }) => kind === null)),
    kinds: series(({ kind }) => kind?.toUpperCase() ?? null),
    contexts: series(({ context }) => context),
  }
}

/** Every time from the first to the last of some, as their first days. */
function between(some: readonly string[], unit: GrowthUnit): string[] {
  const sorted = some.toSorted()
  const [first, last] = [sorted[0], sorted.at(-1)]
  const all: string[] = []
  if (first === undefined || last === undefined) return all
  // In UTC, whose days are all as long.
  for (let day = new Date(`${first}T00:00:00Z`); ; ) {
    const start = day.toISOString().slice(0, 10)
    if (start > last) return all
    all.push(start)
    day = next(day, unit)
  }
}

function next(day: Date, unit: GrowthUnit): Date {
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()]
  if (unit === 'year') return new Date(Date.UTC(year + 1, 0, 1))
  if (unit === 'month') return new Date(Date.UTC(year, month + 1, 1))
  return new Date(Date.UTC(year, month, date + (unit === 'week' ? 7 : 1)))
}
