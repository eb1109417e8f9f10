import { HALF_LIFE_MS } from '@daybook/memory/expiry'
import { exactNames } from '@daybook/memory/word-parts'
import { readNoteBeginnings, readOccurrences } from '@daybook/pgvector/read/read-memories'
import { LIMIT_MAX } from './check-request.ts'
import { type RankedByTokens, rankByTokens } from './late-interaction/rank-by-tokens.ts'
import { floorOf } from './model-floors.ts'
import { readPriors, withPriors } from './priors/with-priors.ts'
import { evidenceOf, isAnswer } from './ranking/floor.ts'
import { priorsCount } from './ranking/options.ts'
import { type RankedHit, rank } from './ranking/rank.ts'
import { hashesOf } from './ranking/retriever.ts'
import { isUnheard, namesStranger } from './ranking/sessions.ts'
import { namesIn, preferSpeakers } from './ranking/speakers.ts'
import type { RetrieversFound } from './run-retrievers.ts'
import type { SearchRequest } from './search-request.ts'
import type { SearchRun } from './search-run.ts'

/** The hits in their order, and what late interaction knows of them; null if it did not rank them. */
interface RankedFound {
  readonly ranked: readonly OneOfEqual<RankedHit>[]
  readonly byTokens: RankedByTokens | null
  /** Whether there were candidates, and none of them is relevant enough. */
  readonly belowFloor: boolean
}

/**
 * Ranks what the retrievers found: by late interaction where the question and the index have tokens, else by
 * the sum of scores (`ranking/rank.ts`) and by who speaks. Leaves out what is too far or scores too little. Equal texts are one hit,
 * except in the past.
 */
export async function rankFound(run: SearchRun, found: RetrieversFound): Promise<RankedFound> {
  const { query, options, request } = run
  const { limit, minScore = 0, leastCosine } = request
  const onceEach = request.past === undefined
  const hashes = onceEach
    ? hashesOf([...(found.lexical ?? []), ...(found.vector ?? [])])
    : new Map<string, string>()
  const tokens = await run.tokens()
  const finished = async (
    hits: readonly RankedHit[],
    byTokens: RankedByTokens | null,
  ): Promise<RankedFound> => {
    // What is found by words only has a word of the query.
    const kept = request.mode === 'KEYWORD' ? hits.filter(({ matchType }) => matchType !== 'CONTEXT') : hits
    const above = areAnswer(kept, byTokens) ? kept : []
    const enough = (await moved(above)).filter(({ score }) => score >= minScore)
    return {
      ranked: (onceEach ? await oneOfEqual(enough, byTokens?.hashes ?? hashes) : enough).slice(0, limit),
      byTokens,
      belowFloor: above.length === 0 && kept.length > 0,
    }
  }
  /** Equal texts of another kind, or of something that happened at another time, say something else. */
  const oneOfEqual = async (hits: readonly RankedHit[], byMemory: ReadonlyMap<string, string>) => {
    const known = hits.flatMap(({ memoryId }) => (byMemory.has(memoryId) ? [memoryId] : []))
    if (new Set(known.map((id) => byMemory.get(id))).size === known.length) return hits
    const occurrences = await readOccurrences(run.scope, run.readModel.tables, known)
    return onceEachText(
      hits,
      new Map([...occurrences].map(([id, occurrence]) => [id, `${byMemory.get(id)} ${occurrence}`])),
    )
  }
  const floor = floorCounts(request) && found.vector !== null ? floorOf(run.generation.modelId) : null
  const moved = async (hits: readonly RankedHit[]) => {
    if (!priorsCount(options.priors) || hits.length === 0) return hits
    const facts = await readPriors(
      run,
      hits.map(({ memoryId }) => memoryId),
    )
    return withPriors(hits, options.priors, facts, {
      now: Date.now(),
      halfLifeMs: run.halfLifeMs ?? HALF_LIFE_MS,
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
      unheard: isUnheard(byTokens.tokens.words, documentFrequency),
    })
  }
  if (tokens !== null) {
    // Which hits are too far shows only in their explanations, and equal texts are one hit.
    const most =
      leastCosine === undefined && !priorsCount(options.priors)
        ? limit + hashes.size - new Set(hashes.values()).size
        : Number.POSITIVE_INFINITY
    const byTokens = await rankByTokens(run, found, tokens, most)
    return finished(withoutFar(byTokens.ranked, leastCosine), byTokens)
  }
  const candidates = [...(found.lexical ?? []), ...(found.vector ?? [])]
  const { neighbourhoods, eligible } = await run.neighbours(candidates.map(({ memoryId }) => memoryId))
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
  return finished(speakersCount ? await bySpeakers(run, near) : near, null)
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
const floorCounts = ({ mode, minScore, floor = true }: SearchRequest): boolean =>
  floor && minScore === undefined && mode !== 'KEYWORD'

/** How many of the best hits may change places because of their speakers: as many as a caller can ask for. */
const SPEAKERS_AMONG = LIMIT_MAX

async function bySpeakers(
  { scope, readModel, query }: SearchRun,
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
    ({ memoryId, restsOn, explanation: { retrievers } }) =>
      near.has(memoryId) || (retrievers.length === 0 && restsOn.some((id) => near.has(id))),
  )
}

/** What is put in order. */
interface Scored {
  readonly memoryId: string
  readonly score: number
}
