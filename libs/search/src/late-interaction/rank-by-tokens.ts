import type { QueryTokens } from '@daybook/embeddings/embedder'
import type { Evidence } from '../ranking/floor.ts'
import { evidenceIn } from '../ranking/late/evidence.ts'
import { type QuestionToken, wordWeight } from '../ranking/late/question-weights.ts'
import { rankLate } from '../ranking/late/rank-late.ts'
import { nearness, type WantedTime } from '../ranking/late/time-match.ts'
import type { TokenMatches } from '../ranking/late/token-rows.ts'
import { type Neighbourhoods, poolNeighbourhoods } from '../ranking/neighbourhood.ts'
import type { RankingOptions } from '../ranking/options.ts'
import type { RankedHit } from '../ranking/rank.ts'
import { namesIn, speakersOf } from '../ranking/speakers.ts'
import type { RetrieverInput } from '../retrievers/retriever-input.ts'
import type { RetrieversRun } from '../run-retrievers.ts'
import type { Scorer } from './kernel/scorer.ts'
import { readContentHashes } from './read-content-hashes.ts'
import { type MemoryFacts, readFacts } from './read-facts.ts'
import type { TokenComparisons } from './token-comparisons.ts'
import type { WordFrequencies } from './word-frequencies.ts'

/** What `rankByTokens` works on. */
export interface RankByTokensInput {
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
  readonly neighbourhoods: Neighbourhoods
  /** The hashes of texts that are known already, in hexadecimal, by memory. */
  readonly contentHashes: ReadonlyMap<string, string>
  /** Of these tokens. May have begun already. */
  readonly comparisons: TokenComparisons
  /** The neighbours that satisfy the search's condition. */
  readonly eligible: ReadonlySet<string>
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
}

/**
 * Ranks candidates and their neighbours by late interaction: reads their token bits, compares the tokens, and scores.
 *
 *   candidates and neighbours ──▶ hashes ──▶ token bits ──▶ matches ──▶ score
 *   question's words ──▶ frequencies ──▶ weights ───────────────────────┘
 */
export async function rankByTokens(input: RetrieverInput, asked: RankByTokensInput): Promise<RankedByTokens> {
  const { times, tokens, modelId, found, comparisons, neighbourhoods, eligible, options, limit } = asked
  const candidates = [...(found.lexical ?? []), ...(found.vector ?? [])]
  const ids = [...poolNeighbourhoods(new Set(candidates.map((hit) => hit.memoryId)), neighbourhoods).keys()]
  const [frequencies, facts, compared] = await Promise.all([
    asked.frequencies,
    asked.frequencies.then((known) => factsOf(input, asked, ids, known)),
    compare(input, asked, ids),
  ])
  const question = tokens.words.map((word) => ({
    word,
    weight: wordWeight(word, frequencies.documents, frequencies.documentFrequency.get(word) ?? null),
  }))
  const ranked = rankLate({
    lexical: found.lexical,
    vector: found.vector,
    question,
    matches: compared.matches,
    neighbourhoods,
    eligible: (id) => eligible.has(id),
    isSpokenByNamed: (id) =>
      [...speakersOf(facts.of(id)?.beginning ?? '')].some((name) => facts.names.has(name)),
    timeMatch: (id) => nearness(facts.of(id)?.time ?? Number.NaN, times),
    candidatesPerRetriever: options.candidatesPerRetriever,
    without: options.without,
    limit,
  })
  const evidence = evidenceIn(found, question)
  const { hashes, bits } = compared
  const { scorer, bytes } = comparisons
  return { ranked, evidence, question, frequencies, scorer, bytes, modelId, hashes, bits }
}

interface Compared extends Pick<RankedByTokens, 'hashes' | 'bits'> {
  readonly matches: ReadonlyMap<string, TokenMatches>
}

/** Compares the texts of memories that have not been compared yet. */
async function compare(
  { scope, readModel }: RetrieverInput,
  { contentHashes, comparisons }: RankByTokensInput,
  ids: readonly string[],
): Promise<Compared> {
  const unknown = ids.filter((id) => !contentHashes.has(id))
  const looked = await readContentHashes(scope, readModel, unknown)
  const hashes = new Map(
    ids.flatMap((id) => {
      const hash = contentHashes.get(id) ?? looked.get(id)
      return hash === undefined ? [] : [[id, hash] as const]
    }),
  )
  comparisons.begin(hashes.values())
  const { bits, matches: ofTexts } = await comparisons.all()
  const matches = new Map<string, TokenMatches>()
  for (const [id, hash] of hashes) {
    const ofText = ofTexts.get(hash)
    if (ofText !== undefined) matches.set(id, ofText)
  }
  return { hashes, bits, matches }
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
