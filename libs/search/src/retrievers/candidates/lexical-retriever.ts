import {
  CANDIDATES_MAX,
  type CandidateSource,
  type WordCandidates,
} from '@daybook/projection/engine/search-engine'
import { yieldToEventLoop } from '@daybook/runtime/timers'
import { sql } from 'kysely'
import { coverage, idf, termScore } from '../../ranking/bm25.ts'
import type { FoundMemory } from '../../ranking/retriever.ts'
import { closestLexemes } from '../postgres/closest-lexemes.ts'
import { lexicalRetriever } from '../postgres/lexical-retriever.ts'
import { type QueryTerm, queryTerms, type RetrieverInput } from '../query-terms.ts'

/** A word of the question with the engine's answer. */
interface FoundTerm extends WordCandidates {
  readonly lexeme: string
  readonly queryFrequency: number
}

/**
 * The lexical retriever on an engine beside Postgres. For each significant word it asks the engine which
 * memories contain it, and how many. Words are lexemes of Postgres on all engines. For a word that no memory
 * contains, it asks for the closest one, as on Postgres. Candidates are scored by the formula of the Postgres
 * retriever (`ranking/bm25.ts`) with word counts, n and average length from Postgres, so all engines score
 * alike.
 *
 * The same statement checks every candidate by `hitCondition`, so phrases, exclusions and filters hold as on
 * Postgres. If too few pass and the engine has cut off its candidates, the retriever runs on Postgres
 * instead.
 *
 * @throws EngineFailed
 */
export async function candidateLexicalRetriever(
  input: RetrieverInput,
  source: CandidateSource,
  wanted: string,
  withCoverage: boolean,
): Promise<FoundMemory[]> {
  const asked = await queryTerms(input.scope, input.readModel, wanted)
  if (asked.length === 0) return []
  const right = await askForWords(input, source, asked)
  const closest = await askForClosest(input, source, asked, right)
  const found = [...right, ...closest].filter(({ isKnown }) => isKnown)
  const ids = new Set(found.flatMap(({ memoryIds }) => memoryIds))
  const hits = await score(input, found, [...ids], withCoverage)
  return hits.length < input.limit &&
    (hits.length < ids.size || ids.size === 0) &&
    found.some(({ isCutOff }) => isCutOff)
    ? lexicalRetriever(input, wanted, withCoverage)
    : hits.slice(0, input.limit)
}

async function askForWords(
  { limit }: RetrieverInput,
  source: CandidateSource,
  terms: readonly Pick<QueryTerm, 'lexeme' | 'frequency'>[],
): Promise<FoundTerm[]> {
  const found = await source.words(
    terms.map(({ lexeme }) => lexeme),
    Math.min(limit, CANDIDATES_MAX),
  )
  return terms.flatMap(({ lexeme, frequency }, index) => {
    const candidates = found[index]
    return candidates === undefined ? [] : [{ lexeme, queryFrequency: frequency, ...candidates }]
  })
}

/**
 * The closest matches of the words that no memory contains, except those that the question contains anyway.
 */
async function askForClosest(
  input: RetrieverInput,
  source: CandidateSource,
  asked: readonly QueryTerm[],
  right: readonly FoundTerm[],
): Promise<FoundTerm[]> {
  const said = new Set(right.filter(({ isKnown }) => isKnown).map(({ lexeme }) => lexeme))
  const unknown = asked.filter(({ lexeme }) => !said.has(lexeme))
  const closest = await closestLexemes(input, unknown, yieldToEventLoop())
  const terms = unknown.flatMap(({ lexeme, frequency }) => {
    const meant = closest.get(lexeme)
    if (meant === undefined || said.has(meant)) return []
    said.add(meant)
    return [{ lexeme: meant, frequency }]
  })
  return terms.length === 0 ? [] : askForWords(input, source, terms)
}

interface Row {
  readonly memory_id: string
  readonly content_hash: string
  readonly length: number
  /** lexeme → how often the memory contains it, for the lexemes asked for. */
  readonly frequencies: Readonly<Record<string, number>>
  readonly n: number
  readonly average_length: number
}

/** The candidates that are hits, best first. */
async function score(
  { scope, readModel, condition }: RetrieverInput,
  terms: readonly FoundTerm[],
  ids: readonly string[],
  withCoverage: boolean,
): Promise<FoundMemory[]> {
  const { memories, lexicalStats } = readModel.tables
  const lexemes = terms.map(({ lexeme }) => lexeme)
  const { rows } = await sql<Row>`
    select m.memory_id, encode(m.content_hash, 'hex') as content_hash, m.length, f.frequencies, s.memories as n,
      greatest(s.total_length::float8 / greatest(s.memories, 1), 1) as average_length
    from ${memories} m
    join ${lexicalStats} s on s.project_id = m.project_id
    cross join lateral (
      select jsonb_object_agg(u.lexeme, cardinality(u.positions)) as frequencies
      from unnest(m.lexemes) u where u.lexeme = any(${lexemes}::text[])
    ) f
    where m.project_id = ${scope.projectId} and m.memory_id = any(${ids}::uuid[])
      and f.frequencies is not null and ${condition}`.execute(scope.db)
  const weighed = terms.map((term) => ({ ...term, weight: idf(rows[0]?.n ?? 0, term.documentFrequency) }))
  const questionIdf = weighed.reduce((sum, { weight }) => sum + weight, 0)
  return rows
    .map((row) => {
      let bm25 = 0
      let matchedIdf = 0
      for (const { lexeme, weight, queryFrequency } of weighed) {
        const frequency = row.frequencies[lexeme] ?? 0
        if (frequency === 0) continue
        bm25 += termScore(queryFrequency, weight, frequency, row.length, row.average_length)
        matchedIdf += weight
      }
      return {
        memoryId: row.memory_id,
        contentHash: row.content_hash,
        score: withCoverage ? bm25 * coverage(matchedIdf, questionIdf) : bm25,
      }
    })
    .toSorted((left, right) => right.score - left.score || (left.memoryId < right.memoryId ? -1 : 1))
}
