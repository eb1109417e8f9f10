import type { QueryTokens } from '@daybook/embeddings/embedder'
import { HALF_LIFE_MS } from '@daybook/memory/expiry'
import { folded } from '@daybook/memory/fold-words'
import { type Memory, type MemoryState, textOf } from '@daybook/memory/state'
import { exactNames } from '@daybook/memory/word-parts'
import { readSupersededBy } from '@daybook/pgvector/read/filter'
import { readNoteBeginnings, readOccurrences } from '@daybook/pgvector/read/read-memories'
import { LIMIT_MAX } from './check-request.ts'
import type { Searched } from './engine/search-engines.ts'
import { type RankedByTokens, rankByTokens } from './late-interaction/rank-by-tokens.ts'
import type { EarlyComparisons } from './late-interaction/token-comparisons.ts'
import type { FrequenciesOnce } from './late-interaction/word-frequencies.ts'
import { floorOf } from './model-floors.ts'
import { readPriors, withPriors } from './priors/with-priors.ts'
import type { ParsedQuery } from './query/query.ts'
import { evidenceOf, isAnswer } from './ranking/floor.ts'
import type { WantedTime } from './ranking/late/rank-late.ts'
import { priorsCount, type RankingOptions } from './ranking/options.ts'
import { type RankedHit, rank } from './ranking/rank.ts'
import { hashesOf } from './ranking/retriever.ts'
import { isUnheard, namesStranger } from './ranking/sessions.ts'
import { namesIn, preferSpeakers } from './ranking/speakers.ts'
import type { NeighbourLookups } from './retrievers/postgres/neighbours-retriever.ts'
import type { RetrieverInput } from './retrievers/query-terms.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchRequest } from './search-request.ts'

/** What `rankFound` works on. */
interface FoundToRank {
  readonly query: ParsedQuery
  /** The times that the question names. */
  readonly times: readonly WantedTime[]
  readonly request: Pick<SearchRequest, 'mode' | 'limit' | 'minScore' | 'floor' | 'leastCosine'>
  readonly options: RankingOptions
  readonly found: Searched
  /** May have begun already. */
  readonly neighbours: NeighbourLookups
  readonly frequencies: FrequenciesOnce
  readonly comparisons: EarlyComparisons
  /** Whether equal texts are one hit. Default no. */
  readonly onceEach?: boolean
}

/** The hits in their order, and what late interaction knows of them; null if it did not rank them. */
interface RankedFound {
  readonly ranked: readonly OneOfEqual<RankedHit>[]
  readonly byTokens: RankedByTokens | null
  /** Whether there were candidates, and none of them is relevant enough. */
  readonly belowFloor: boolean
  /** How many of the `limit` best are left out, as they are much less likely than the best. */
  readonly leftOut: number
}

/**
 * The share of the best score below which a hit is left out. With a tenth LoCoMo loses .001 recall@10 and the daily questions
 * nothing, and of ten hits six remain; a fifth loses .009.
 */
const LEAST_SHARE = 0.1

/** The most hits for which that is done: whoever asks for more wants to see what else there is. */
const CUT_UP_TO = 10

/**
 * Ranks what the retrievers found: by late interaction where the question and the index have tokens, else by
 * the sum of scores (`ranking/rank.ts`) and by who speaks. Leaves out what is too far or scores too little.
 */
export async function rankFound(
  parts: SearchParts,
  input: RetrieverInput,
  {
    query,
    times,
    request,
    options,
    found,
    neighbours,
    frequencies,
    comparisons,
    onceEach = false,
  }: FoundToRank,
): Promise<RankedFound> {
  const { limit, minScore = 0, leastCosine } = request
  const hashes = onceEach
    ? hashesOf([...(found.lexical ?? []), ...(found.vector ?? [])])
    : new Map<string, string>()
  // Only probabilities can be compared like this, and only where nobody says how likely a hit must be.
  const isCut =
    onceEach &&
    request.minScore === undefined &&
    leastCosine === undefined &&
    limit <= CUT_UP_TO &&
    request.floor !== false
  const finished = async (
    hits: readonly RankedHit[],
    byTokens: RankedByTokens | null,
  ): Promise<RankedFound> => {
    // What is found by words only has a word of the query.
    const kept = request.mode === 'KEYWORD' ? hits.filter(({ matchType }) => matchType !== 'CONTEXT') : hits
    const above = areAnswer(kept, byTokens) ? kept : []
    const enough = (await moved(above)).filter(({ score }) => score >= minScore)
    const best = (onceEach ? await oneOfEqual(enough, byTokens?.hashes ?? hashes) : enough).slice(0, limit)
    const least = isCut && byTokens !== null ? (best[0]?.score ?? 0) * LEAST_SHARE : 0
    const ranked = best.filter(({ score }) => score >= least)
    return {
      ranked,
      byTokens,
      belowFloor: above.length === 0 && kept.length > 0,
      leftOut: best.length - ranked.length,
    }
  }
  /** Equal texts of another kind, or of something that happened at another time, say something else. */
  const oneOfEqual = async (hits: readonly RankedHit[], byMemory: ReadonlyMap<string, string>) => {
    const known = hits.flatMap(({ memoryId }) => byMemory.get(memoryId) ?? [])
    if (new Set(known).size === known.length) return hits
    const { scope, readModel } = parts
    const occurrences = await readOccurrences(scope, readModel.tables, [...byMemory.keys()])
    return onceEachText(
      hits,
      new Map([...occurrences].map(([id, occurrence]) => [id, `${byMemory.get(id)} ${occurrence}`])),
    )
  }
  const floor = floorCounts(request) && found.vector !== null ? floorOf(found.generation.modelId) : null
  const moved = async (hits: readonly RankedHit[]) => {
    if (!priorsCount(options.priors) || hits.length === 0) return hits
    const facts = await readPriors(
      parts,
      hits.map(({ memoryId }) => memoryId),
    )
    return withPriors(hits, options.priors, facts, {
      now: Date.now(),
      halfLifeMs: parts.halfLifeMs ?? HALF_LIFE_MS,
    })
  }
  const areAnswer = (hits: readonly RankedHit[], byTokens: RankedByTokens | null): boolean => {
    if (floor === null) return true
    const best = hits[0]?.score ?? 0
    if (byTokens === null) return isAnswer(best, evidenceOf(hits), floor, null)
    const { documents, documentFrequency } = byTokens.frequencies
    return isAnswer(best, byTokens.evidence, floor, {
      memories: documents,
      stranger: namesStranger(query.wanted, (word) => documentFrequency.get(word) === 0),
      unnamed: exactNames(query.wanted).some((name) => documentFrequency.get(name) === 0),
      unheard: isUnheard(found.tokens?.words ?? [], documentFrequency),
    })
  }
  const { tokens } = found
  if (tokensCount(options, tokens)) {
    const byTokens = await rankByTokens(input, {
      wanted: query.wanted,
      times,
      tokens,
      modelId: found.generation.modelId,
      found,
      frequencies: frequencies(tokens.words),
      neighbours,
      comparisons: comparisons.with(tokens, found.generation.modelId),
      options,
      // Which hits are too far shows only in their explanations, and equal texts are one hit.
      limit:
        leastCosine === undefined && !priorsCount(options.priors)
          ? limit + hashes.size - new Set(hashes.values()).size
          : Number.POSITIVE_INFINITY,
    })
    return finished(withoutFar(byTokens.ranked, leastCosine), byTokens)
  }
  const candidates = [...(found.lexical ?? []), ...(found.vector ?? [])]
  const { neighbourhoods, eligible } = await neighbours.of(candidates.map(({ memoryId }) => memoryId))
  const all = rank({
    lexical: found.lexical,
    vector: found.vector,
    neighbourhoods,
    eligible: (id) => eligible.has(id),
    options,
    limit: Number.POSITIVE_INFINITY,
  })
  const near = withoutFar(all, leastCosine)
  const speakersCount = options.method === 'DEFAULT' && !options.without.has('speaker')
  return finished(speakersCount ? await bySpeakers(parts, query, near) : near, null)
}

/** A hit, and the plain ids of the other memories with the same text, which are no hits of their own. */
type OneOfEqual<Hit> = Hit & { readonly sameText?: readonly string[] }

/**
 * Of equal texts the best hit, which names the others: fifteen memories that say the same would fill the answer, and the one that
 * says more would be missing.
 * @param hashes what equal ones have in common, by memory
 */
export function onceEachText<Hit extends Pick<Scored, 'memoryId'>>(
  hits: readonly Hit[],
  hashes: ReadonlyMap<string, string>,
): OneOfEqual<Hit>[] {
  const others = new Map<string, string[]>()
  const first = hits.filter(({ memoryId }) => {
    const hash = hashes.get(memoryId)
    if (hash === undefined) return true
    const known = others.get(hash)
    if (known === undefined) others.set(hash, [])
    else known.push(memoryId)
    return known === undefined
  })
  return first.map((hit) => {
    const sameText = others.get(hashes.get(hit.memoryId) ?? '') ?? []
    return sameText.length === 0 ? hit : { ...hit, sameText }
  })
}

/** Whether hits must be above the model's floor: the caller sets none, and words are not all that counts. */
const floorCounts = ({ mode, minScore, floor = true }: FoundToRank['request']): boolean =>
  floor && minScore === undefined && mode !== 'KEYWORD'

/** Whether hits are ranked by late interaction. */
export function tokensCount(options: RankingOptions, tokens: QueryTokens | null): tokens is QueryTokens {
  return options.method === 'DEFAULT' && options.lateInteraction && tokens !== null && tokens.words.length > 0
}

/** How many of the best hits may change places because of their speakers: as many as a caller can ask for. */
const SPEAKERS_AMONG = LIMIT_MAX

async function bySpeakers(
  { scope, readModel }: SearchParts,
  query: ParsedQuery,
  ranked: readonly RankedHit[],
): Promise<readonly RankedHit[]> {
  const names = namesIn(query.wanted)
  if (names.size === 0) return ranked
  const best = ranked.slice(0, SPEAKERS_AMONG)
  const beginnings = await readNoteBeginnings(
    scope,
    readModel.tables,
    best.map((hit) => hit.memoryId),
  )
  return preferSpeakers(best, names, (id) => beginnings.get(id))
}

function withoutFar(ranked: readonly RankedHit[], leastCosine: number | undefined): readonly RankedHit[] {
  if (leastCosine === undefined) return ranked
  const isNear = ({ explanation: { retrievers } }: RankedHit) =>
    retrievers.some(({ retriever, rawScore }) => retriever === 'lexical' || rawScore >= leastCosine)
  const near = new Set(ranked.filter(isNear).map((hit) => hit.memoryId))
  return ranked.filter(
    ({ memoryId, explanation: { retrievers, neighbours } }) =>
      near.has(memoryId) ||
      (retrievers.length === 0 && neighbours.some((neighbour) => near.has(neighbour.memoryId))),
  )
}

/** What is put in order. */
interface Scored {
  readonly memoryId: string
  readonly score: number
}

/** A hit, and the plain id of the memory that supersedes it, or seems to, if there is one. */
export type Succeeded<Hit> = Hit & { readonly supersededBy?: string; readonly seemsSupersededBy?: string }

/**
 * Puts each memory that another of these supersedes below that one, with at most its score: who asks wants to
 * know what is true now. Where the newer memory is not among them, the older one stays where it is: it is all
 * that is known of the question, and its `supersededBy` says where to go on.
 */
export async function belowSuccessors<Hit extends Scored>(
  { scope, readModel }: Pick<SearchParts, 'scope' | 'readModel'>,
  hits: readonly Hit[],
): Promise<readonly Succeeded<Hit>[]> {
  if (hits.length === 0) return hits
  const successors = await readSupersededBy(
    scope,
    readModel.tables,
    hits.map(({ memoryId }) => memoryId),
  )
  return successors.size === 0 ? hits : orderBySuccession(hits, successors)
}

/** The order of `belowSuccessors`. @param successors the newer memory's id by that of the older one */
export function orderBySuccession<Hit extends Scored>(
  hits: readonly Hit[],
  successors: ReadonlyMap<string, string>,
): readonly Succeeded<Hit>[] {
  const byId = new Map(hits.map((hit) => [hit.memoryId, hit]))
  const placed = hits.map((hit) => {
    let score = hit.score
    let generations = 0
    // Memories may supersede each other in a circle.
    const seen = new Set([hit.memoryId])
    for (let id = successors.get(hit.memoryId); id !== undefined && !seen.has(id); id = successors.get(id)) {
      const newer = byId.get(id)
      if (newer === undefined) break
      seen.add(id)
      score = Math.min(score, newer.score)
      generations += 1
    }
    const supersededBy = successors.get(hit.memoryId)
    return { hit: supersededBy === undefined ? hit : { ...hit, score, supersededBy }, generations }
  })
  return placed
    .toSorted((a, b) => b.hit.score - a.hit.score || a.generations - b.generations)
    .map(({ hit }) => hit)
}

/** How alike two texts must be to say the same thing at two times (`resemblance.ts`). */
const SAME_THING = 0.85

/** What names things: words with a capital letter inside a sentence, and words of letters and digits. */
const NAMES =
  /(?<=[\p{L}\p{N},;)] )\p{Lu}[\p{L}\p{N}]+|(?=[\p{L}\p{N}_-]*\p{N})(?=[\p{L}\p{N}_-]*\p{L})[\p{L}\p{N}_-]+/gu

/**
 * Puts the newest memory of the same thing before the older ones: of decisions on one topic, and of memories of one kind and
 * context that are much alike and name the same things. It takes the best score of them, and the others say by what they seem
 * superseded. Nothing is settled by that: only `supersedes` does.
 *
 * @param hits best first
 * @param resemble how much two of the hits resemble each other; null if nobody knows
 */
export function newestFirst<Hit extends Succeeded<Scored>>(
  hits: readonly Hit[],
  memories: ReadonlyMap<string, Memory>,
  resemble: (one: string, other: string) => number | null,
): readonly Hit[] {
  const groups: [Hit, ...Hit[]][] = []
  for (const hit of hits) {
    const group = groups.find(([first]) => isSameThing(hit, first, memories, resemble))
    if (group === undefined) groups.push([hit])
    else group.push(hit)
  }
  if (groups.length === hits.length) return hits
  const age = ({ memoryId }: Hit) => timeOf(memories.get(memoryId)?.state)
  return groups
    .flatMap((group) => {
      const [best] = group
      const newest = group.reduce((one, other) => (age(other) > age(one) ? other : one))
      return group.length === 1
        ? group
        : [
            { ...newest, score: best.score },
            ...group
              .filter((hit) => hit !== newest)
              .map((hit) => ({ ...hit, seemsSupersededBy: newest.memoryId })),
          ]
    })
    .toSorted((one, other) => other.score - one.score)
}

const timeOf = (state: MemoryState | undefined): number =>
  state === undefined ? 0 : Date.parse(state.occurredAt ?? state.createdAt)

function isSameThing(
  one: Succeeded<Scored>,
  other: Succeeded<Scored>,
  memories: ReadonlyMap<string, Memory>,
  resemble: (one: string, other: string) => number | null,
): boolean {
  const [a, b] = [memories.get(one.memoryId)?.state, memories.get(other.memoryId)?.state]
  if (a === undefined || b === undefined || a.kind !== b.kind || a.context !== b.context) return false
  if (one.supersededBy !== undefined || other.supersededBy !== undefined || timeOf(a) === timeOf(b))
    return false
  if (a.kind === 'decision' && folded(String(a.content['topic'])) === folded(String(b.content['topic'])))
    return true
  if ((resemble(one.memoryId, other.memoryId) ?? 0) < SAME_THING) return false
  return namesOf(a) === namesOf(b)
}

const namesOf = (state: MemoryState): string => [...new Set(textOf(state).match(NAMES))].toSorted().join(' ')
