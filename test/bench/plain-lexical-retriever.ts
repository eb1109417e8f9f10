import { B, K1 } from '@daybook/search/ranking/bm25'
import type { RetrieverHit } from '@daybook/search/ranking/retriever'
import type { RetrieverInput } from '@daybook/search/retrievers/query-terms'
import { sql } from 'kysely'
import type { LexicalCorpus } from './lexical-corpus.ts'

/** How many of the best-scored memories are looked up. */
const LOOK = 1_000

/**
 * The lexical retriever in plain SQL over one row per word and memory, the obvious form, which Daybook once
 * had. Same scores.
 */
export async function plainLexicalRetriever(
  { scope, readModel, condition, limit }: RetrieverInput,
  plain: LexicalCorpus['plain'],
  wanted: string,
): Promise<RetrieverHit[]> {
  const { projectId, db } = scope
  const { memories, lexicalStats } = readModel.tables
  const { rows } = await sql<{ memory_id: string; score: number }>`
    with terms as materialized (
      select lexeme, cardinality(positions) as query_frequency from unnest(to_tsvector('english', ${wanted}))
    ), stats as materialized (
      select memories as n, greatest(total_length::float8 / greatest(memories, 1), 1) as average_length
      from ${lexicalStats} where project_id = ${projectId}
    ), matches as materialized (
      select t.lexeme, t.query_frequency, p.number, p.frequency, p.length
      from terms t cross join lateral (
        select number, frequency, length from ${plain}
        where project_id = ${projectId} and lexeme = t.lexeme offset 0
      ) p
    ), weights as materialized (
      select lexeme, ln(1 + (n - df + 0.5::float8) / (df + 0.5::float8)) as idf
      from (select lexeme, count(*) as df from matches group by lexeme) frequencies, stats
    ), scored as materialized (
      select number,
        sum(query_frequency * idf * frequency * ${sql.lit(K1 + 1)}::float8
          / (frequency + ${sql.lit(K1)}::float8 * (${sql.lit(1 - B)}::float8 + ${sql.lit(B)}::float8 * length / average_length))) as bm25,
        sum(idf) as matched
      from matches join weights using (lexeme) cross join stats group by number
    ), best as materialized (
      select number, bm25 * sqrt(matched / (select sum(idf) from weights)) as score
      from scored order by score desc, number limit ${LOOK}
    )
    select m.memory_id, best.score
    from best cross join lateral (
      select * from ${memories} where project_id = ${projectId} and number = best.number offset 0
    ) m
    where ${condition}
    order by best.score desc, best.number
    limit ${limit}`.execute(db)
  return rows.map((row) => ({ memoryId: row.memory_id, score: row.score }))
}
