import { bytesPerToken } from '@daybook/embeddings/token-bits/token-bits'
import { languageOf } from '@daybook/lexical-index/lexemes'
import { narrows } from '@daybook/memory/filter'
import { exactNames } from '@daybook/memory/word-parts'
import { answersAtOnce } from '@daybook/postgres/connect'
import type { Generation } from '@daybook/projection/generations/generations'
import { type RawBuilder, sql } from 'kysely'
import { createScorer } from './late-interaction/kernel/create-scorer.ts'
import type { Scorer } from './late-interaction/kernel/scorer.ts'
import { readTokenBits } from './late-interaction/token-bits-cache.ts'
import { readWordFrequencies, type WordFrequencies } from './late-interaction/word-frequencies.ts'
import { eachOnce, once } from './once.ts'
import { momentOf } from './past/past-texts.ts'
import type { ParsedQuery } from './query/query.ts'
import { type TimePhrase, withTimes } from './query/time-phrases.ts'
import type { QueryVector, Question } from './question.ts'
import { withoutTerms } from './ranking/explanation.ts'
import type { TokenMatches } from './ranking/late/token-rows.ts'
import { contextCounts, DEFAULT_RANKING, type RankingOptions } from './ranking/options.ts'
import { hitCondition } from './retrievers/postgres/constraint.ts'
import { readFew } from './retrievers/postgres/few-satisfying.ts'
import {
  findNeighbours,
  gatherNeighbours,
  type NeighboursFound,
  NO_NEIGHBOURS,
} from './retrievers/postgres/neighbours-retriever.ts'
import type { RetrieverInput } from './retrievers/query-terms.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchRequest } from './search-request.ts'
import { timed } from './timed.ts'

/** What is searched for. */
export interface Search {
  readonly question: Question
  /** The times that the question names. */
  readonly times: readonly TimePhrase[]
  readonly request: SearchRequest
}

/** The question's tokens, as texts are compared with them. */
export interface QuestionTokens {
  /** The word of each token, at least one. */
  readonly words: readonly string[]
  readonly scorer: Scorer
  /** Bytes of one token's bits. */
  readonly bytes: number
}

/** Texts whose tokens were compared with the question's, by hash. A text that is not embedded yet is in neither. */
export interface ComparedTexts {
  readonly bits: ReadonlyMap<string, Uint8Array>
  readonly matches: ReadonlyMap<string, TokenMatches>
}

/**
 * One search of one generation: what is asked, and what it has read of it. Whoever needs something asks for it here, and the
 * first who asks begins to read it. So to begin something early is to ask and not to wait: a failure is told to whoever waits
 * for it, and to nobody else.
 */
export interface SearchRun extends RetrieverInput, SearchParts {
  readonly request: SearchRequest
  readonly query: ParsedQuery
  /** The times that the question names. */
  readonly times: readonly TimePhrase[]
  /** What the lexical retriever looks for: the query's words, and those of the days that it names. */
  readonly lexicalText: string
  readonly options: RankingOptions
  /** The generation that is searched. */
  readonly generation: Generation
  /** Whether the database answers several statements at once. With one session, what is begun early delays what is needed now. */
  readonly atOnce: boolean
  /** What the model says of the question; null in mode KEYWORD. The tokens are counted before anybody gets the vector. */
  queryVector(): Promise<QueryVector> | null
  /** The question's tokens; null if texts are not compared token by token. */
  tokens(): Promise<QuestionTokens | null>
  /** In how many memories the words of the question's tokens are, and the names in it. It begins with the tokens. */
  frequencies(): Promise<WordFrequencies>
  /** Compares these texts with the tokens, if there are any; the answer has all that were asked for. @param hashes in hexadecimal */
  compared(hashes: Iterable<string>): Promise<ComparedTexts>
  /** The neighbours of these memories, if they count. The comparison of their texts begins at once. */
  neighbours(memoryIds: Iterable<string>): Promise<NeighboursFound>
}

/**
 * Begins a search of a generation; its model is asked for the vector at once.
 * @param indexed the number of the project's memories in the indexes, if it is known
 */
export function startRun(
  parts: SearchParts,
  { question, times, request }: Search,
  generation: Generation,
  indexed?: number,
): SearchRun {
  const { scope, readModel, onRetriever, tokenBitsCache } = parts
  const { query } = question
  const { filter, also, past } = request
  const options = optionsOf(parts, request)
  const atOnce = answersAtOnce(scope.db)
  const language = languageOf(readModel.tables, scope.projectId)
  const hit = hitCondition(readModel.tables, filter, query, language, past && momentOf(past))
  const condition = also === undefined ? hit : sql<boolean>`(${hit} and ${also})`

  // A name that no present memory has may be in past ones.
  const names = past === undefined ? exactNames(query.wanted) : []
  const frequencies = once(async () =>
    readWordFrequencies(scope, readModel, [...((await tokens())?.words ?? []), ...names]),
  )
  const embedded = question.queryVector(generation)
  const tokens = once(async (): Promise<QuestionTokens | null> => {
    const found = await embedded
    const given = found === null || 'missing' in found ? null : found.tokens
    const areCounted = options.method === 'DEFAULT' && options.lateInteraction
    if (!areCounted || given === null || given.words.length === 0) return null
    const { words, states } = given
    void frequencies()
    const dimension = states.length / words.length
    const scorer = createScorer({ tokens: words.length, dimension, states })
    return { words, scorer, bytes: bytesPerToken(dimension) }
  })
  void tokens()

  const bits = new Map<string, Uint8Array>()
  const matches = new Map<string, TokenMatches>()
  // Texts are compared as their bits come, while Postgres looks up the next ones. It takes about a millisecond for 400
  // memories (docs/measurements.md#scoring-token-bits), so it does not leave the event loop.
  const compared = eachOnce(
    async (hashes) => {
      const asked = await tokens()
      if (asked === null) return
      const { scorer, bytes } = asked
      await timed(onRetriever, 'token-bits', () =>
        readTokenBits(scope, { modelId: generation.modelId, hashes, cache: tokenBitsCache }, (hash, read) => {
          bits.set(hash, read)
          matches.set(hash, { best: scorer.match(read), tokens: read.length / bytes })
        }),
      )
    },
    (): ComparedTexts => ({ bits, matches }),
  )

  const run = {
    ...parts,
    request,
    query,
    times,
    lexicalText: withTimes(query.wanted, times),
    options,
    generation,
    atOnce,
    condition,
    includeForgotten: filter.includeForgotten === true,
    limit: options.candidatesPerRetriever,
    needed: request.limit,
    coverage: !options.without.has('coverage'),
    ...(indexed !== undefined && { indexed }),
    ...narrowing(parts, request, query, condition),
  }
  const look = eachOnce(async (ids) => {
    const found = await findNeighbours(run, ids)
    // One session, as of a transaction, answers one statement after the other, and must have none left when it ends.
    if (atOnce) void compared(found.contentHashes.values())
    return found
  }, gatherNeighbours)
  return {
    ...run,
    queryVector:
      embedded === null
        ? () => null
        : once(async () => {
            await tokens()
            return embedded
          }),
    tokens,
    frequencies,
    compared,
    neighbours: past === undefined && contextCounts(options) ? look : async () => NO_NEIGHBOURS,
  }
}

const optionsOf = (parts: SearchParts, { ranking }: SearchRequest): RankingOptions =>
  withoutTerms({ ...DEFAULT_RANKING, ...ranking, ...(parts.without && { without: parts.without() }) })

/** Without a filter, only expired and forgotten memories drop out, so enough of the best remain. */
function narrowing(
  parts: SearchParts,
  { filter, also }: SearchRequest,
  { required, excluded }: ParsedQuery,
  condition: RawBuilder<boolean>,
): Pick<RetrieverInput, 'few'> {
  const isFilter = also === undefined && required.length + excluded.length === 0
  if (isFilter && !narrows(filter)) return {}
  return { few: once(() => readFew({ ...parts, condition }, isFilter ? filter : null)) }
}
