import { EmbedderError, type QueryEmbedding, type QueryTokens } from '@daybook/embeddings/embedder'
import type { Embedders } from '@daybook/embeddings/embedders'
import { answersAtOnce } from '@daybook/postgres/connect'
import type { CandidateSource } from '@daybook/projection/engine/search-engine'
import type { Generation } from '@daybook/projection/generations/generations'
import { reasonOf } from '@daybook/runtime/reason-of'
import type { FoundMemory } from './ranking/retriever.ts'
import { candidateLexicalRetriever } from './retrievers/candidates/lexical-retriever.ts'
import { candidateVectorRetriever } from './retrievers/candidates/vector-retriever.ts'
import { lexicalRetriever } from './retrievers/postgres/lexical-retriever.ts'
import { type VectorHit, vectorRetriever } from './retrievers/postgres/vector-retriever.ts'
import type { RetrieverInput } from './retrievers/query-terms.ts'
import type { SearchMode } from './search-request.ts'
import { timed } from './timed.ts'

/** The two retrievers on one engine. */
export interface Retrievers {
  lexical(wanted: string, coverage: boolean): Promise<readonly FoundMemory[]>
  vector(query: Float32Array): Promise<readonly VectorHit[]>
  /**
   * Whether the vector retriever starts as soon as the query has its vector. Otherwise it waits for the
   * lexical retriever: a database with one session answers one statement after the other.
   */
  readonly atOnce: boolean
}

/** What the retrievers found; null if one did not run. */
export interface RetrieversRun {
  readonly lexical: readonly FoundMemory[] | null
  readonly vector: readonly VectorHit[] | null
  /** The question's tokens; null if the mode needs none, or the model gives none. */
  readonly tokens: QueryTokens | null
  readonly degraded: readonly string[]
}

/** The retrievers on Postgres. */
export const postgresRetrievers = (input: RetrieverInput): Retrievers => ({
  lexical: (wanted, coverage) => lexicalRetriever(input, wanted, coverage && input.coverage !== false),
  vector: (query) => vectorRetriever(input, query),
  atOnce: answersAtOnce(input.scope.db),
})

/**
 * The retrievers on an engine beside Postgres.
 * @param name the engine's name, for the metrics
 * @param modelId of the engine's vectors
 */
export const candidateRetrievers = (
  input: RetrieverInput,
  name: string,
  source: CandidateSource,
  modelId: string,
): Retrievers => ({
  lexical: (wanted, coverage) =>
    timed(input.onRetriever, name, () =>
      candidateLexicalRetriever(input, source, wanted, coverage && input.coverage !== false),
    ),
  vector: (query) =>
    timed(input.onRetriever, name, () => candidateVectorRetriever(input, source, query, modelId)),
  // Each mostly waits for another server, not for the database.
  atOnce: true,
})

/** What is known before all retrievers have ended. */
export interface KnownEarly {
  /** Called with the lexical retriever's hits, possibly while the vector retriever still runs. */
  onWords(hits: readonly FoundMemory[]): void
  /** Called with the question's tokens, or null if it has none, possibly while retrievers still run. */
  onTokens(tokens: QueryTokens | null): void
}

const NOBODY: KnownEarly = { onWords() {}, onTokens() {} }

/** Runs the retrievers that the mode asks for. @param embedding of the query; null if the mode needs none */
export async function runRetrievers(
  { lexical, vector, atOnce }: Retrievers,
  wanted: string,
  mode: SearchMode,
  embedding: Promise<QueryVector> | null,
  { onWords, onTokens }: KnownEarly = NOBODY,
): Promise<RetrieversRun> {
  const byWords = async (degraded: readonly string[]): Promise<RetrieversRun> => ({
    lexical: await lexical(wanted, false),
    vector: null,
    tokens: null,
    degraded,
  })
  if (embedding === null) return byWords([])
  const embedded = embedding.then((found) => {
    onTokens('missing' in found ? null : found.tokens)
    return found
  })
  if (mode === 'SEMANTIC') {
    const found = await embedded
    if ('missing' in found) return byWords([found.missing])
    return { lexical: null, vector: await vector(found.vector), tokens: found.tokens, degraded: [] }
  }
  // The database scores words while the model embeds the query: they are different processes.
  const scored = lexical(wanted, true)
  const near = async (found: QueryVector) => {
    if ('missing' in found) return found
    return { hits: await vector(found.vector), tokens: found.tokens }
  }
  const [words, vectors] = await Promise.all([
    scored.then((hits) => {
      onWords(hits)
      return hits
    }),
    atOnce ? embedded.then(near) : Promise.all([embedded, scored]).then(([found]) => near(found)),
  ])
  if ('missing' in vectors) return byWords([vectors.missing])
  return { lexical: words, vector: vectors.hits, tokens: vectors.tokens, degraded: [] }
}

/** What the model says of the query, or the reason why it says nothing, in words. */
export type QueryVector = QueryEmbedding | { readonly missing: string }

/**
 * Embeds a query with priority over background work. Never throws: without a vector, a search finds memories
 * by words.
 */
export async function queryVector(
  embedders: Embedders,
  { modelId }: Pick<Generation, 'modelId'>,
  { projectId, text }: { readonly projectId: string; readonly text: string },
): Promise<QueryVector> {
  try {
    const embedder = await embedders.of(modelId)
    if (embedder === null)
      return {
        missing: `no embedder is configured for the index's model ${modelId} (DAYBOOK_EMBEDDER), so memories are found by their words only`,
      }
    return await embedder.embedQuery(text, { projectId })
  } catch (error) {
    if (error instanceof EmbedderError && error.code === 'NO_KNOWN_WORD')
      return { missing: `${modelId} knows none of the words, so memories are found by their words only` }
    return {
      missing: `the embedder does not answer (${reasonOf(error)}), so memories are found by their words only`,
    }
  }
}
