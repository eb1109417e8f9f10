import type { TextSpan } from '@daybook/embeddings/embedder'
import { findModel } from '@daybook/embeddings/models'
import { hasTokenBits, plainModelId } from '@daybook/embeddings/token-bits/token-bits'
import { grouped } from '@daybook/memory/text-rules'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { projectScope } from '@daybook/postgres/project-scope'
import { checkLimit, checkShare } from './check-request.ts'
import { POSTGRES, projectionOf } from './engine/engine-name.ts'
import { type Found, searchOnEngine } from './engine/search-engines.ts'
import { bestPassages, type ChunksOfTexts, readChunks } from './late-interaction/best-passages.ts'
import { searchPast } from './past/search-past.ts'
import { DEMANDED_CHARACTERS, DEMANDED_MOST } from './query/parse-query.ts'
import type { ParsedQuery } from './query/query.ts'
import { daysOf, timePhrases } from './query/time-phrases.ts'
import { askQuestion, type Question } from './question.ts'
import { rankFound } from './rank-found.ts'
import { DEFAULT_RANKING } from './ranking/options.ts'
import type { RetrieverHit } from './ranking/retriever.ts'
import { readHits } from './read-hits.ts'
import { matchTypeOf, nothingAbout, presentHits } from './render-answer.ts'
import { hitsOfKind, kindQueryOf } from './search-by-kind.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchAnswer, SearchRequest } from './search-request.ts'
import type { Search } from './search-run.ts'
import { belowSuccessors, newestFirst } from './succession.ts'

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
 * @param question that the request asks, if another search asks it, too, or its vector is wanted early
 * @throws ValidationError for an empty query, or a limit or score out of range
 */
export async function search(
  parts: SearchParts,
  request: SearchRequest,
  question: Question = askQuestion(parts, request),
): Promise<SearchAnswer> {
  const { query } = question
  checkLimit(request.limit)
  if (request.minScore !== undefined) checkShare('minScore', request.minScore)
  const { past = null } = request
  const today = past === null || past === 'EVER' ? Date.now() : Date.parse(past.moment)
  const times = timesCount(request) ? timePhrases(query.wanted, today) : []
  const named = kindQueryOf(query, request, times)
  if (named?.kind === null) {
    // Who asks what happened on a day asks for nothing that a text says or means.
    const words = times.map((time) => daysOf(time).join(' ') || time.words || time.phrase)
    return searchTexts(parts, {
      question: { query: { ...query, wanted: words.join(' ') }, queryVector: () => null },
      times: [],
      request: { ...request, mode: 'KEYWORD' },
    })
  }
  const found = await searchTexts(parts, { question, times, request })
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
  if (named === null) return answer
  const ofKind = await hitsOfKind(parts, query, request, { ...named, kind: named.kind }, times)
  if (ofKind.length === 0) return answer
  const known = new Set(ofKind.map(({ memory }) => memory.state.id))
  const others = answer.hits.filter(({ memory }) => !known.has(memory.state.id))
  return { ...answer, hits: [...ofKind, ...others].slice(0, request.limit), matchType: 'KIND', message: null }
}

async function searchTexts(parts: SearchParts, asked: Search): Promise<SearchAnswer> {
  const { question, request } = asked
  if (request.past !== undefined) return searchPast(parts, asked, request.past)
  const first = await attempt(parts, asked)
  if (!first.overtaken) return first.answer
  // Not inside the transaction, which must not wait for a model.
  await question.queryVector(parts.readModel.generation)
  const { projectId, db } = parts.scope
  const second = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) =>
      attempt(
        { ...parts, scope: projectScope(trx, projectId), beforeHits: undefined },
        { ...asked, request: { ...request, engine: POSTGRES } },
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

async function attempt(parts: SearchParts, asked: Search): Promise<Attempt> {
  const found = await searchOnEngine(parts, asked)
  const { run, engine, sequence } = found
  const { ranked: byScore, byTokens, belowFloor } = await rankFound(run, found)

  await run.beforeHits?.()
  const [ranked, { memories, overtaken }, chunks] = await Promise.all([
    belowSuccessors(run, byScore),
    readHits(run, byScore, found.since),
    byTokens === null ? NO_CHUNKS : readChunks(run, byTokens, idsOf(byScore)),
  ])
  // Who asks for a time wants what was true then.
  const inOrder =
    run.times.length > 0
      ? ranked
      : newestFirst(
          ranked,
          memories,
          (one, other) => byTokens?.resemble(one, other) ?? null,
          run.query.wanted,
        )
  const passages =
    overtaken || byTokens === null ? NO_PASSAGES : await bestPassages(byTokens, chunks, memories)
  const hits = overtaken ? [] : await presentHits(run, inOrder, memories, found.vector, passages)
  return {
    overtaken,
    answer: {
      hits,
      matchType: hits.length === 0 ? null : matchTypeOf(found),
      engine,
      degraded: [...found.degraded, ...withoutTokenBits(found)],
      message: hits.length === 0 ? nothingFound(run.request, belowFloor) : whatIsLeftOut(run.query),
      sequence,
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
  belowFloor ? nothingAbout(query) : `Nothing matches "${query}". Try other words, or fewer filters.`

function whatIsLeftOut({ excluded }: ParsedQuery): string | null {
  const words = excluded.flatMap((one) => (one.type === 'group' ? [] : [`"${one.text}"`]))
  return words.length === 0 ? null : `What has ${words.join(' or ')} is left out, as the query says.`
}

const idsOf = (hits: readonly Pick<RetrieverHit, 'memoryId'>[]): string[] => hits.map((hit) => hit.memoryId)

/** Whether the times that a question names count. RRF and KEYWORD do no more than they say. */
const timesCount = ({ mode, ranking }: SearchRequest): boolean =>
  mode !== 'KEYWORD' && (ranking?.method ?? DEFAULT_RANKING.method) === 'DEFAULT'

const NO_PASSAGES: ReadonlyMap<string, TextSpan> = new Map()

const NO_CHUNKS: ChunksOfTexts = new Map()

/** Says that an index built before its model had token bits ranks without them. */
function withoutTokenBits({ run: { embedders, generation }, vector, engine }: Found): string[] {
  const { modelId } = embedders.preferred
  // The index of another model lacks nothing: that model has no token bits.
  if (vector === null || !hasTokenBits(modelId) || plainModelId(modelId) !== generation.modelId) return []
  const projection = engine === POSTGRES ? PGVECTOR : projectionOf(engine)
  const model = findModel(modelId)?.name ?? modelId
  return [
    `the index has no token bits, so memories are ranked less well: "daybook reindex ${projection} --model ${model}" makes them`,
  ]
}
