import type { TextSpan } from '@daybook/embeddings/embedder'
import { findModel } from '@daybook/embeddings/models'
import { hasTokenBits, plainModelId } from '@daybook/embeddings/token-bits/token-bits'
import { languageOf } from '@daybook/lexical-index/lexemes'
import { narrows } from '@daybook/memory/filter'
import { grouped } from '@daybook/memory/text-rules'
import { exactNames } from '@daybook/memory/word-parts'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { answersAtOnce } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'
import { checkLimit, checkQuery, checkShare } from './check-request.ts'
import { POSTGRES, projectionOf } from './engine/engine-name.ts'
import { type EmbedOnce, embedOnce, type Searched, searchOnEngine } from './engine/search-engines.ts'
import { bestPassages, type ChunksOfTexts, readChunks } from './late-interaction/best-passages.ts'
import { earlyNeighbours } from './late-interaction/early-neighbours.ts'
import { earlyComparisons } from './late-interaction/token-comparisons.ts'
import { frequenciesOnce } from './late-interaction/word-frequencies.ts'
import { momentOf } from './past/past-texts.ts'
import { searchPast } from './past/search-past.ts'
import { DEMANDED_CHARACTERS, DEMANDED_MOST } from './query/parse-query.ts'
import type { ParsedQuery } from './query/query.ts'
import { daysOf, type TimePhrase, timePhrases, withTimes } from './query/time-phrases.ts'
import { rankFound, tokensCount } from './rank-found.ts'
import { withoutTerms } from './ranking/explanation.ts'
import { contextCounts, DEFAULT_RANKING, type RankingOptions } from './ranking/options.ts'
import { hashesOf, type RetrieverHit } from './ranking/retriever.ts'
import { readHits } from './read-hits.ts'
import { matchTypeOf, presentHits } from './render-answer.ts'
import { hitCondition } from './retrievers/postgres/constraint.ts'
import { readFewOnce } from './retrievers/postgres/few-satisfying.ts'
import { NO_LOOKUPS, startNeighbours } from './retrievers/postgres/neighbours-retriever.ts'
import type { RetrieverInput } from './retrievers/query-terms.ts'
import { hitsOfKind, kindQueryOf } from './search-by-kind.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchAnswer, SearchRequest } from './search-request.ts'
import { belowSuccessors, newestFirst } from './succession.ts'
import { withoutUnlikely } from './unlikely.ts'

/**
 * Finds memories: query ──▶ retrievers (lexical, vector) ──▶ ranking ──▶ hits with snippets. Forgotten
 * memories are left out unless the filter asks for them, expired ones always.
 *
 * The engine only finds candidates. Postgres decides for all engines whether a memory is a hit, and provides
 * its neighbours and its content, so that filters, phrases, exclusions and scores mean the same.
 *
 * A query that names a kind ("open todos") finds the memories of that kind first (`search-by-kind.ts`).
 *
 * Each hit satisfies the whole request, and its score and snippet belong to the version that is returned. The
 * first attempt uses separate statements, which can run in parallel with each other and with the embedding of
 * the query. If writes overtook it (`read-hits.ts`), the second attempt is a single transaction with one
 * snapshot, on Postgres.
 *
 * @param embedded the query's vectors, if another search has them
 * @throws ValidationError for an empty query, or a limit or score out of range
 */
export async function search(
  parts: SearchParts,
  request: SearchRequest,
  embedded?: EmbedOnce,
): Promise<SearchAnswer> {
  const query = checkQuery('query', request.query)
  checkLimit(request.limit)
  if (request.minScore !== undefined) checkShare('minScore', request.minScore)
  const { past = null } = request
  const today = past === null || past === 'EVER' ? Date.now() : Date.parse(past.moment)
  const times = timesCount(request) ? timePhrases(query.wanted, today) : []
  const named = kindQueryOf(query, request, times)
  if (named?.kind === null) {
    // Who asks what happened on a day asks for nothing that a text says or means.
    const words = times.map((time) => daysOf(time).join(' ') || time.words || time.phrase)
    return searchTexts(
      parts,
      { ...query, wanted: words.join(' ') },
      [],
      { ...request, mode: 'KEYWORD' },
      undefined,
    )
  }
  const found = await searchTexts(parts, query, times, request, embedded)
  if (found.hits.length === 0 && query.excluded.length > 0) {
    const literal = request.query.replaceAll(/(?<=^|\s)-(?=\S)/gu, '')
    const answer = literal === request.query ? found : await search(parts, { ...request, query: literal })
    if (answer.hits.length > 0)
      return {
        ...answer,
        message: 'Nothing is found without the words behind the hyphens, so they were searched too.',
      }
  }
  const answer = { ...found, degraded: [...tooManyDemands(query), ...found.degraded] }
  if (named === null) return withoutUnlikely(answer, request)
  const ofKind = await hitsOfKind(parts, query, request, { ...named, kind: named.kind }, times)
  if (ofKind.length === 0) return withoutUnlikely(answer, request)
  const known = new Set(ofKind.map(({ memory }) => memory.state.id))
  const others = answer.hits.filter(({ memory }) => !known.has(memory.state.id))
  return { ...answer, hits: [...ofKind, ...others].slice(0, request.limit), matchType: 'KIND', message: null }
}

async function searchTexts(
  parts: SearchParts,
  query: ParsedQuery,
  times: readonly TimePhrase[],
  request: SearchRequest,
  given: EmbedOnce | undefined,
): Promise<SearchAnswer> {
  const { past = null } = request
  const embedded = given ?? embedOnce(parts, request.mode, query.wanted)
  if (past !== null) {
    const options = optionsOf(parts, request)
    const wanted = withTimes(query.wanted, times)
    const condition = conditionOf(parts, request, query)
    return searchPast(parts, request, { past, query, condition, wanted, times, options, embedded })
  }
  const first = await attempt(parts, query, times, request, embedded)
  if (!first.overtaken) return first.answer
  // Not inside the transaction, which must not wait for a model.
  await embedded(parts.readModel.generation)
  const { projectId, db } = parts.scope
  const second = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) =>
      attempt(
        { ...parts, scope: projectScope(trx, projectId), beforeHits: undefined },
        query,
        times,
        { ...request, engine: POSTGRES },
        embedded,
      ),
    )
  const { engine } = first.answer
  const elsewhere =
    engine === POSTGRES ? [] : [`${projectionOf(engine)} was overtaken by writes, answered by Postgres`]
  return { ...second.answer, degraded: [...elsewhere, ...second.answer.degraded] }
}

interface Attempt {
  readonly answer: SearchAnswer
  /** Whether what the retrievers found was changed before it was read. */
  readonly overtaken: boolean
}

async function attempt(
  parts: SearchParts,
  query: ParsedQuery,
  times: readonly TimePhrase[],
  request: SearchRequest,
  embedded: EmbedOnce,
): Promise<Attempt> {
  const { limit } = request
  const options = optionsOf(parts, request)
  const condition = conditionOf(parts, request, query)
  const input: RetrieverInput = {
    ...parts,
    condition,
    includeForgotten: request.filter.includeForgotten === true,
    limit: options.candidatesPerRetriever,
    needed: limit,
    coverage: !options.without.has('coverage'),
    ...narrowing(parts, request, query, condition),
  }

  const frequencies = frequenciesOnce(input.scope, input.readModel, exactNames(query.wanted))
  const comparisons = earlyComparisons(input, parts.tokenBitsCache)
  // One session, as of a transaction, answers one statement after the other, and must have none left when it ends.
  const atOnce = answersAtOnce(input.scope.db)
  const compareEarly = (hashes: Iterable<string>) => {
    if (atOnce) comparisons.begin(hashes)
  }
  const neighbours = contextCounts(options)
    ? startNeighbours(input, ({ contentHashes }) => compareEarly(contentHashes.values()))
    : NO_LOOKUPS
  const early = earlyNeighbours({ neighbours, options, atOnce })
  const wanted = withTimes(query.wanted, times)
  const retrievers = await searchOnEngine(parts, input, wanted, request, embedded, {
    onWords(hits) {
      compareEarly(hashesOf(hits).values())
      early.onWords(hits)
    },
    onTokens(tokens, modelId) {
      if (!tokensCount(options, tokens)) return early.onTokens(null)
      early.onTokens({
        tokens,
        frequencies: frequencies(tokens.words),
        comparisons: comparisons.with(tokens, modelId),
      })
    },
  })
  const {
    ranked: byScore,
    byTokens,
    belowFloor,
  } = await rankFound(parts, input, {
    query,
    times: options.without.has('time') ? [] : times,
    request,
    options,
    found: retrievers,
    neighbours,
    frequencies,
    comparisons,
    onceEach: true,
  })

  await parts.beforeHits?.()
  const [ranked, { memories, overtaken }, chunks] = await Promise.all([
    belowSuccessors(parts, byScore),
    readHits(input, byScore, retrievers.since),
    byTokens === null ? NO_CHUNKS : readChunks(input.scope, byTokens, idsOf(byScore)),
  ])
  // Who asks for a time wants what was true then.
  const inOrder =
    times.length > 0
      ? ranked
      : newestFirst(ranked, memories, (one, other) => byTokens?.resemble(one, other) ?? null)
  const passages =
    overtaken || byTokens === null ? NO_PASSAGES : await bestPassages(byTokens, chunks, memories)
  const hits = overtaken ? [] : await presentHits(parts, query, inOrder, memories, retrievers, passages)
  return {
    overtaken,
    answer: {
      hits,
      matchType: hits.length === 0 ? null : matchTypeOf(retrievers),
      engine: retrievers.engine,
      degraded: [...retrievers.degraded, ...withoutTokenBits(parts, retrievers)],
      message: hits.length === 0 ? nothingFound(request, belowFloor) : whatIsLeftOut(query),
      sequence: retrievers.sequence,
    },
  }
}

/** Says what of a query counts as words only. */
function tooManyDemands({ tooMany = 0 }: ParsedQuery): string[] {
  if (tooMany === 0) return []
  const others = tooMany === 1 ? 'one more counts as a word' : `${grouped(tooMany)} more count as words`
  return [
    `a query has at most ${DEMANDED_MOST} phrases, exclusions and operands of AND, each of at most ${DEMANDED_CHARACTERS} characters: ${others}`,
  ]
}

const nothingFound = ({ query }: SearchRequest, belowFloor: boolean): string =>
  belowFloor
    ? `Nothing here seems to be about "${query}". "floor: false" (daybook search --no-floor) shows what is least far from it.`
    : `Nothing matches "${query}". Try other words, or fewer filters.`

function whatIsLeftOut({ excluded }: ParsedQuery): string | null {
  const words = excluded.flatMap((one) => (one.type === 'group' ? [] : [`"${one.text}"`]))
  return words.length === 0 ? null : `What has ${words.join(' or ')} is left out, as the query says.`
}

const optionsOf = (parts: SearchParts, { ranking }: SearchRequest): RankingOptions =>
  withoutTerms({ ...DEFAULT_RANKING, ...ranking, ...(parts.without && { without: parts.without() }) })

/** What every hit must satisfy: the filter, the query's phrases and exclusions, and what the caller adds. */
function conditionOf(
  { readModel, scope }: SearchParts,
  { filter, also, past }: SearchRequest,
  query: ParsedQuery,
): RawBuilder<boolean> {
  const language = languageOf(readModel.tables, scope.projectId)
  const condition = hitCondition(readModel.tables, filter, query, language, past && momentOf(past))
  return also === undefined ? condition : sql<boolean>`(${condition} and ${also})`
}

/** Without a filter, only expired and forgotten memories drop out, so enough of the best remain. */
function narrowing(
  parts: SearchParts,
  { filter, also }: SearchRequest,
  { required, excluded }: ParsedQuery,
  condition: RawBuilder<boolean>,
): Pick<RetrieverInput, 'few'> {
  const isFilter = also === undefined && required.length + excluded.length === 0
  if (isFilter && !narrows(filter)) return {}
  return { few: readFewOnce({ ...parts, condition }, isFilter ? filter : null) }
}

const idsOf = (hits: readonly Pick<RetrieverHit, 'memoryId'>[]): string[] => hits.map((hit) => hit.memoryId)

/** Whether the times that a question names count. RRF and KEYWORD do no more than they say. */
const timesCount = ({ mode, ranking }: SearchRequest): boolean =>
  mode !== 'KEYWORD' && (ranking?.method ?? DEFAULT_RANKING.method) === 'DEFAULT'

const NO_PASSAGES: ReadonlyMap<string, TextSpan> = new Map()

const NO_CHUNKS: ChunksOfTexts = new Map()

/** Says that an index built before its model had token bits ranks without them. */
function withoutTokenBits({ embedders }: SearchParts, { vector, generation, engine }: Searched): string[] {
  const { modelId } = embedders.preferred
  // The index of another model lacks nothing: that model has no token bits.
  if (vector === null || !hasTokenBits(modelId) || plainModelId(modelId) !== generation.modelId) return []
  const projection = engine === POSTGRES ? PGVECTOR : projectionOf(engine)
  const model = findModel(modelId)?.name ?? modelId
  return [
    `the index has no token bits, so memories are ranked less well: "daybook reindex ${projection} --model ${model}" makes them`,
  ]
}
