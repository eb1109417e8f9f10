import { languageOf } from '@daybook/lexical-index/lexemes'
import { questionWords } from '@daybook/memory/fold-words'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'
import type { OnRetriever } from '../timed.ts'
import type { SelectedMemories } from './postgres/few-satisfying.ts'

/** A distinct word of the question. */
export interface QueryTerm {
  /** The word as Postgres stems it. */
  readonly lexeme: string
  /** The word as it was written. */
  readonly word: string
  /** How often it occurs in the question. */
  readonly frequency: number
}

/** The significant words of a text as Postgres analyses it, without stop words. */
export async function queryTerms(
  { db, projectId }: ProjectScope,
  { tables }: Pick<LiveReadModel, 'tables'>,
  wanted: string,
): Promise<QueryTerm[]> {
  const language = languageOf(tables, projectId)
  const text = questionWords(wanted)
  const { rows } = await sql<QueryTerm>`
    select q.lexeme, min(t.token) as word, cardinality(q.positions) as frequency
    from unnest(to_tsvector(${language}, ${text})) q
    join (select token, unnest(lexemes) as lexeme from ts_debug(${language}, ${text})) t on t.lexeme = q.lexeme
    group by q.lexeme, q.positions order by q.positions[1], q.lexeme`.execute(db)
  return rows
}

/** The input of every retriever. */
export interface RetrieverInput {
  readonly scope: ProjectScope
  readonly readModel: LiveReadModel
  /** The condition that a hit must satisfy, over `m` (`constraint.ts`). */
  readonly condition: RawBuilder<boolean>
  /**
   * Whether forgotten memories are searched too. They are not in the indexes, so the retrievers look at each
   * of them.
   */
  readonly includeForgotten: boolean
  /** Whether words lead to all memories that ever said them, forgotten ones included. Default no. */
  readonly everSaid?: boolean
  /** The most hits wanted. */
  readonly limit: number
  /**
   * The hits that the answer needs. A retriever that has so many may stop somewhat short of `limit`. Default:
   * all of `limit`.
   */
  readonly needed?: number
  /** The number of the project's memories in the indexes, if it is known. */
  readonly indexed?: number
  /**
   * Present if few of the best may satisfy the condition: the search has a filter, a phrase or an exclusion. Then
   * it reads all memories that satisfy it, once, or null if they are many.
   */
  readonly few?: () => Promise<SelectedMemories | null>
  /** Whether a lexical score counts how much of the question matched, beside a vector retriever. Default yes. */
  readonly coverage?: boolean
  readonly onRetriever?: OnRetriever | undefined
}
