import { sql } from 'kysely'
import { B, K1 } from '../ranking/bm25.ts'
import type { LegHit } from '../ranking/leg.ts'
import { timed } from '../timed.ts'
import type { LegInput } from './leg-input.ts'

/**
 * How many of the best scored are looked up to find enough that satisfy the condition. Where too few of them do, the other
 * way round is cheaper: first everything in the project that satisfies it, then the best scored of that.
 */
const FIRST_LOOK = 1_000

/**
 * The lexical leg: exact BM25 with the project's own word statistics, times the coverage factor (`ranking/bm25.ts` has the
 * formulas), in plain Postgres over one row a posting. Measured in `ranking.md`'s terms: 14/32 ms p50/p95 for 100,000
 * memories on Postgres, 26/60 ms on PGlite.
 *
 * @param wanted the query's words; Postgres makes lexemes of them as it did of the texts
 * @param coverage off where no vector leg runs beside it, as measured
 */
export function lexicalLeg(input: LegInput, wanted: string, coverage: boolean): Promise<LegHit[]> {
  return timed(input.onLeg, 'lexical', () => bestScored(input, wanted, coverage))
}

async function bestScored(input: LegInput, wanted: string, coverage: boolean): Promise<LegHit[]> {
  const first = await look(input, wanted, coverage, FIRST_LOOK)
  const mayHaveMissed = first.hits.length < input.limit && first.scored >= FIRST_LOOK
  return mayHaveMissed ? (await look(input, wanted, coverage, 'all')).hits : first.hits
}

async function look(
  { scope, readModel, condition, includeForgotten, limit }: LegInput,
  wanted: string,
  coverage: boolean,
  among: number | 'all',
): Promise<{ hits: LegHit[]; scored: number }> {
  const { projectId, db } = scope
  const { memories, postings, lexicalStats } = readModel.tables
  // `offset 0` keeps the planner to lookups by key: of each term, instead of one scan of all postings; of each scored
  // memory by its number, instead of going through the whole context that a filter names. The embedded database gathers
  // no statistics that would tell it better.
  const forgotten = includeForgotten
    ? sql`
      union all
      select t.lexeme, t.query_frequency, m.number, cardinality(u.positions), m.length, true
      from ${memories} m, unnest(m.lexemes) u join terms t on t.lexeme = u.lexeme
      where m.project_id = ${projectId} and m.forgotten`
    : sql``
  // `is true` keeps the planner from making a join of it, which without statistics would be a nested loop.
  const eligible =
    among === 'all'
      ? sql`(number in (select m.number from ${memories} m where m.project_id = ${projectId} and ${condition})) is true`
      : sql`true`
  const { rows } = await sql<{ memory_id: string; score: number; scored: number }>`
    with terms as materialized (
      select lexeme, cardinality(positions) as query_frequency from unnest(to_tsvector('english', ${wanted}))
    ), stats as materialized (
      select memories as n, greatest(total_length::float8 / greatest(memories, 1), 1) as average_length
      from ${lexicalStats} where project_id = ${projectId}
    ), matches as materialized (
      select t.lexeme, t.query_frequency, p.number, p.frequency, p.length, false as forgotten
      from terms t cross join lateral (
        select number, frequency, length from ${postings}
        where project_id = ${projectId} and lexeme = t.lexeme offset 0
      ) p ${forgotten}
    ), weights as materialized (
      select lexeme, ln(1 + (n - df + 0.5::float8) / (df + 0.5::float8)) as idf
      from (select lexeme, count(*) filter (where not forgotten) as df from matches group by lexeme) frequencies, stats
    ), scored as materialized (
      select number,
        sum(query_frequency * idf * frequency * ${sql.lit(K1 + 1)}::float8
          / (frequency + ${sql.lit(K1)}::float8 * (${sql.lit(1 - B)}::float8 + ${sql.lit(B)}::float8 * length / average_length))) as bm25,
        sum(idf) as matched
      from matches join weights using (lexeme) cross join stats group by number
    ), best as materialized (
      select number, bm25 * case when ${coverage} then sqrt(matched / (select sum(idf) from weights)) else 1 end as score
      from scored where ${eligible} order by score desc limit ${among === 'all' ? limit : among}
    )
    select m.memory_id, best.score, (select count(*) from best) as scored
    from best cross join lateral (
      select * from ${memories} where project_id = ${projectId} and number = best.number offset 0
    ) m
    where ${condition}
    order by best.score desc, m.memory_id
    limit ${limit}`.execute(db)
  return {
    hits: rows.map((row) => ({ memoryId: row.memory_id, score: row.score })),
    scored: rows[0]?.scored ?? FIRST_LOOK,
  }
}
