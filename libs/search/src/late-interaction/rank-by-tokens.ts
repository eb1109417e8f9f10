import type { QueryTokens } from '@daybook/embeddings/embedder'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import { answersAtOnce } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import type { Evidence } from '../ranking/floor.ts'
import { continuation } from '../ranking/late/pool.ts'
import { type QuestionToken, questionTokens } from '../ranking/late/question-weights.ts'
import {
  evidenceIn,
  nearness,
  PROMISING,
  promisingCandidates,
  rankLate,
  type WantedTime,
} from '../ranking/late/rank-late.ts'
import type { TokenMatches } from '../ranking/late/token-rows.ts'
import { poolNeighbourhoods } from '../ranking/neighbours.ts'
import type { RankingOptions } from '../ranking/options.ts'
import type { RankedHit } from '../ranking/rank.ts'
import { hashesOf } from '../ranking/retriever.ts'
import { namesIn, speakersOf } from '../ranking/speakers.ts'
import type { NeighbourLookups } from '../retrievers/postgres/neighbours-retriever.ts'
import type { RetrieverInput } from '../retrievers/query-terms.ts'
import type { RetrieversRun } from '../run-retrievers.ts'
import type { Scorer } from './kernel/scorer.ts'
import { resemblance } from './resemblance.ts'
import { readContentHashes } from './token-bits-cache.ts'
import { matchesByMemory, type TokenComparisons } from './token-comparisons.ts'
import type { WordFrequencies } from './word-frequencies.ts'

/** What `rankByTokens` works on. */
interface RankByTokensInput {
  /** The question's words. */
  readonly wanted: string
  /** The times that the question names. */
  readonly times: readonly WantedTime[]
  /** The question's tokens, at least one, of the model `modelId`. */
  readonly tokens: QueryTokens
  /** The model of the generation that was searched. */
  readonly modelId: string
  readonly found: Pick<RetrieversRun, 'lexical' | 'vector'>
  /** Of the question's words. */
  readonly frequencies: Promise<WordFrequencies>
  /** May have begun already. */
  readonly neighbours: NeighbourLookups
  /** Of these tokens. May have begun already. */
  readonly comparisons: TokenComparisons
  readonly options: RankingOptions
  /** The most hits to return. */
  readonly limit: number
}

/** The ranking, and what it was made of. */
export interface RankedByTokens {
  readonly ranked: readonly RankedHit[]
  /** In all candidates, also those beyond the limit. */
  readonly evidence: Evidence
  readonly question: readonly QuestionToken[]
  readonly frequencies: WordFrequencies
  readonly scorer: Scorer
  /** Bytes of one token's bits. */
  readonly bytes: number
  readonly modelId: string
  /** The hashes of the texts of all that could become hits, by memory. */
  readonly hashes: ReadonlyMap<string, string>
  /** The token bits of texts, by hash. A text that is not embedded yet has none. */
  readonly bits: ReadonlyMap<string, Uint8Array>
  /** How much the texts of two memories resemble each other (`resemblance.ts`); null if one has no token bits. */
  resemble(one: string, other: string): number | null
}

/**
 * Ranks candidates and their neighbours by late interaction: reads their token bits, compares the tokens, and scores.
 *
 *   question's words ──▶ frequencies ──▶ weights ───────────┬───────────────────────────┐
 *   candidates ──▶ hashes ──▶ token bits ──▶ matches ──▶ the best of them ──┐            │
 *   their neighbours ──▶ hashes ──▶ token bits ──▶ matches ◀────────────────┘ ────▶ score
 */
export async function rankByTokens(input: RetrieverInput, asked: RankByTokensInput): Promise<RankedByTokens> {
  const { times, tokens, modelId, found, comparisons, neighbours, options, limit } = asked
  const hits = [...(found.lexical ?? []), ...(found.vector ?? [])]
  const candidates = [...new Set(hits.map(({ memoryId }) => memoryId))]
  if (candidates.length <= PROMISING) neighbours.begin(candidates)
  const factsAbout = async (ids: readonly string[]) => factsOf(input, asked, ids, await asked.frequencies)
  const [frequencies, ofCandidates, compared] = await Promise.all([
    asked.frequencies,
    factsAbout(candidates),
    compare(input, comparisons, candidates, hashesOf(hits)),
  ])
  const question = questionTokens(tokens.words, frequencies)
  const ranking = (facts: Facts, { matches }: Compared) => ({
    lexical: found.lexical,
    vector: found.vector,
    question,
    matches,
    isSpokenByNamed: (id: string) =>
      [...speakersOf(facts.of(id)?.beginning ?? '')].some((name) => facts.names.has(name)),
    timeMatch: (id: string) => nearness(facts.of(id)?.time ?? Number.NaN, times),
    candidatesPerRetriever: options.candidatesPerRetriever,
    without: options.without,
  })
  const promising =
    candidates.length <= PROMISING ? candidates : promisingCandidates(ranking(ofCandidates, compared))
  const { neighbourhoods, eligible, contentHashes } = await neighbours.of(promising)
  const pool = [...poolNeighbourhoods(candidates, neighbourhoods).keys()]
  const [ofOthers, all] = await Promise.all([
    factsAbout(pool.filter((id) => !compared.hashes.has(id))),
    compare(input, comparisons, pool, new Map([...contentHashes, ...compared.hashes])),
  ])
  const facts: Facts = { names: ofCandidates.names, of: (id) => ofCandidates.of(id) ?? ofOthers.of(id) }
  const bitsOf = (id: string) => all.bits.get(all.hashes.get(id) ?? '')
  const resemble = (id: string, otherId: string): number | null => {
    const [one, other] = [bitsOf(id), bitsOf(otherId)]
    return one === undefined || other === undefined ? null : resemblance(one, other, comparisons.bytes)
  }
  const ranked = rankLate({
    ...ranking(facts, all),
    continues: (id, beside) => {
      const alike = resemble(id, beside)
      return alike === null ? 1 : continuation(alike)
    },
    neighbourhoods,
    eligible: (id) => eligible.has(id),
    lookedUp: promising.length,
    memories: frequencies.documents,
    limit,
  })
  const evidence = evidenceIn(found, question)
  const { hashes, bits } = all
  const { scorer, bytes } = comparisons
  return { ranked, evidence, question, frequencies, scorer, bytes, modelId, hashes, bits, resemble }
}

interface Compared extends Pick<RankedByTokens, 'hashes' | 'bits'> {
  readonly matches: ReadonlyMap<string, TokenMatches>
}

/** Compares the texts of memories that have not been compared yet. @param known hashes of texts, by memory */
async function compare(
  { scope, readModel }: RetrieverInput,
  comparisons: TokenComparisons,
  ids: readonly string[],
  known: ReadonlyMap<string, string>,
): Promise<Compared> {
  // One session would answer this first, and the lookup of the others only then.
  if (answersAtOnce(scope.db)) comparisons.begin(ids.flatMap((id) => known.get(id) ?? []))
  const looked = await readContentHashes(
    scope,
    readModel,
    ids.filter((id) => !known.has(id)),
  )
  const hashes = new Map(
    ids.flatMap((id) => {
      const hash = known.get(id) ?? looked.get(id)
      return hash === undefined ? [] : [[id, hash] as const]
    }),
  )
  comparisons.begin(hashes.values())
  const { bits, matches } = await comparisons.all()
  return { hashes, bits, matches: matchesByMemory(hashes, matches) }
}

interface Facts {
  /** The names in the question of people who may speak. */
  readonly names: ReadonlySet<string>
  of(memoryId: string): MemoryFacts | undefined
}

const FIRST_WORD = /[\p{L}\p{M}]+/u

/** Reads the facts of memories if any of them counts: the question names somebody, or a time. */
async function factsOf(
  { scope, readModel }: RetrieverInput,
  { wanted, times, tokens }: RankByTokensInput,
  ids: readonly string[],
  { documentFrequency }: WordFrequencies,
): Promise<Facts> {
  const names = new Set(namesIn(wanted))
  // "When did Ann …": most questions begin with a stop word, which has no lexeme. Elsewhere it may be a name: "Will".
  const first = FIRST_WORD.exec(wanted)?.[0].toLowerCase() ?? ''
  if (tokens.words.includes(first) && !documentFrequency.has(first)) names.delete(first)
  if (names.size === 0 && times.length === 0) return { names, of: () => undefined }
  const facts = await readFacts(scope, readModel, ids, names.size > 0)
  return { names, of: (id) => facts.get(id) }
}

/** What the ranking asks of a memory beside its tokens. */
interface MemoryFacts {
  /**
   * The first 50 characters of a note, and an entity's name as if it spoke; null for other kinds, or if they were not asked for.
   */
  readonly beginning: string | null
  /** When it happened, else when it was remembered: milliseconds since 1970. */
  readonly time: number
}

interface Row extends MemoryFacts {
  readonly memory_id: string
}

/** Reads the facts of memories. @param withBeginnings they take as long as the memories themselves */
async function readFacts(
  { db, projectId }: ProjectScope,
  { tables }: Pick<LiveReadModel, 'tables'>,
  memoryIds: readonly string[],
  withBeginnings: boolean,
): Promise<ReadonlyMap<string, MemoryFacts>> {
  if (memoryIds.length === 0) return new Map()
  const { rows } = await sql<Row>`
    select memory_id, extract(epoch from coalesce(occurred_at, created_at))::float8 * 1000 as time,
      case when not ${withBeginnings} then null when kind = 'note' then left(state->'content'->>'text', 50)
        when kind = 'entity' then left(state->'content'->>'name', 40) || ': ' end as beginning
    from ${tables.memories} one where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`.execute(
    db,
  )
  return new Map(rows.map(({ memory_id: id, ...facts }) => [id, facts]))
}
