import type { CandidateSource } from '@daybook/projection/engine/search-engine'
import { PROMISING, promisingCandidates } from './ranking/late/rank-late.ts'
import { rowsByMemory } from './ranking/late/token-rows.ts'
import { weighTokens } from './ranking/late/weighted-tokens.ts'
import { type FoundMemory, hashesOf } from './ranking/retriever.ts'
import { candidateLexicalRetriever } from './retrievers/candidates/lexical-retriever.ts'
import { candidateVectorRetriever } from './retrievers/candidates/vector-retriever.ts'
import { lexicalRetriever } from './retrievers/postgres/lexical-retriever.ts'
import { type VectorHit, vectorRetriever } from './retrievers/postgres/vector-retriever.ts'
import type { SearchRun } from './search-run.ts'
import { timed } from './timed.ts'

/** The two retrievers on one engine. */
export interface Retrievers {
  lexical(coverage: boolean): Promise<readonly FoundMemory[]>
  vector(query: Float32Array): Promise<readonly VectorHit[]>
  /**
   * Whether the vector retriever starts as soon as the query has its vector. Otherwise it waits for the
   * lexical retriever: a database with one session answers one statement after the other.
   */
  readonly atOnce: boolean
}

/** What the retrievers found; null if one did not run. */
export interface RetrieversFound {
  readonly lexical: readonly FoundMemory[] | null
  readonly vector: readonly VectorHit[] | null
  readonly degraded: readonly string[]
}

/** The retrievers on Postgres. */
export const postgresRetrievers = (run: SearchRun): Retrievers => ({
  lexical: (coverage) => lexicalRetriever(run, run.lexicalText, coverage && run.coverage !== false),
  vector: (query) => vectorRetriever(run, query),
  atOnce: run.atOnce,
})

/**
 * The retrievers on an engine beside Postgres.
 * @param name the engine's name, for the metrics
 */
export const candidateRetrievers = (run: SearchRun, name: string, source: CandidateSource): Retrievers => ({
  lexical: (coverage) =>
    timed(run.onRetriever, name, () =>
      candidateLexicalRetriever(run, source, run.lexicalText, coverage && run.coverage !== false),
    ),
  vector: (query) =>
    timed(run.onRetriever, name, () => candidateVectorRetriever(run, source, query, run.generation.modelId)),
  // Each mostly waits for another server, not for the database.
  atOnce: true,
})

/** Runs the retrievers that the mode asks for. */
export async function runRetrievers(
  run: SearchRun,
  { lexical, vector, atOnce }: Retrievers,
): Promise<RetrieversFound> {
  const byWords = async (degraded: readonly string[]) => ({
    lexical: await lexical(false),
    vector: null,
    degraded,
  })
  const embedded = run.queryVector()
  if (embedded === null) return byWords([])
  if (run.request.mode === 'SEMANTIC') {
    const found = await embedded
    if ('missing' in found) return byWords([found.missing])
    return { lexical: null, vector: await vector(found.vector), degraded: [] }
  }
  // The database scores words while the model embeds the query: they are different processes.
  const lexicalHits = lexical(true)
  // What fails there fails again for whoever waits for it.
  const ahead = lookAhead(run, lexicalHits).catch(() => {})
  const near = async () => {
    const found = await embedded
    if (!atOnce) await Promise.all([lexicalHits, ahead])
    return 'missing' in found ? found : { hits: await vector(found.vector) }
  }
  const [found, nearest] = await Promise.all([lexicalHits, near()])
  if ('missing' in nearest) return byWords([nearest.missing])
  return { lexical: found, vector: nearest.hits, degraded: [] }
}

/**
 * The words' hits whose neighbours are looked up before the nearest are known. Half of those that will be looked up in
 * the end: about so many of them are the words' hits.
 */
const EARLY = PROMISING / 2

/**
 * Begins what the ranking will ask for of the words' hits, while the vector retriever still runs: their comparison, and the
 * lookup of their neighbours as soon as it is known which of them count. These are all of them where no tokens are compared, or if
 * they are few, else the most promising.
 */
async function lookAhead(run: SearchRun, lexicalHits: Promise<readonly FoundMemory[]>): Promise<void> {
  const { options, atOnce } = run
  const hits = await lexicalHits
  const hashes = hashesOf(hits)
  if (atOnce) void run.compared(hashes.values())
  const tokens = await run.tokens()
  if (tokens === null || hits.length <= EARLY) {
    void run.neighbours(hits.map(({ memoryId }) => memoryId))
    return
  }
  // With one session the vector retriever would wait.
  if (!atOnce) return
  const [frequencies, { matches }] = await Promise.all([run.frequencies(), run.compared(hashes.values())])
  const promising = promisingCandidates({
    lexical: hits,
    vector: null,
    weightedTokens: weighTokens(tokens.words, frequencies),
    matches: rowsByMemory(hashes, matches),
    isSpokenByNamed: () => false,
    timeMatch: () => 0,
    candidatesPerRetriever: options.candidatesPerRetriever,
    without: options.without,
  })
  void run.neighbours(promising.slice(0, EARLY))
}
