import { type Embedder, EmbedderError } from '@daybook/embeddings/embedder'
import { readStoredVectors } from '@daybook/embeddings/store'
import { contentHash } from '@daybook/memory/content'
import { DaybookError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { type MemoryFilter, narrows } from '@daybook/memory/filter'
import { parseMemoryId } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import { bytes, isBlank, sizeInWords } from '@daybook/memory/text-rules'
import { filterCondition } from '@daybook/pgvector/read/filter'
import { readMemories } from '@daybook/pgvector/read/read-memories'
import { reasonOf } from '@daybook/runtime/reason-of'
import { sql } from 'kysely'
import { LIMIT_MAX } from '../check-request.ts'
import { once } from '../once.ts'
import { plainExplanation } from '../ranking/explanation.ts'
import { readFew } from '../retrievers/postgres/few-satisfying.ts'
import { type VectorHit, vectorRetriever } from '../retrievers/postgres/vector-retriever.ts'
import type { RetrieverInput } from '../retrievers/query-terms.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchAnswer, SearchHit } from '../search-request.ts'
import { behindJournal, readSearchState, waitingForVectors } from '../search-state.ts'
import { snippets } from '../snippets.ts'

/** What to find. */
interface SimilarRequest extends SimilarTo {
  /** The most hits, 1 to 100. */
  readonly topK: number
  readonly filter: MemoryFilter
}

/**
 * The memories nearest in meaning, without the memory itself. A hit's score is the cosine of the nearest pair of
 * chunks, 0 to 1; words, neighbours and time do not count. Postgres answers, whichever engines there are: it
 * has all vectors.
 * @throws as `similarVectors` does
 */
export async function similar(parts: SearchParts, request: SimilarRequest): Promise<SearchAnswer> {
  if (!Number.isInteger(request.topK) || request.topK < 1 || request.topK > LIMIT_MAX)
    throw new ValidationError('topK', `must be a whole number from 1 to ${LIMIT_MAX}`)
  return nearestTo(parts, await similarVectors(parts, request), { ...request, leastCosine: -1 })
}

/** How near, and which. */
interface NearestOptions {
  readonly topK: number
  readonly filter: MemoryFilter
  /** Hits with a lower cosine are left out. */
  readonly leastCosine: number
}

/** The memories nearest to any of the vectors. */
async function nearestTo(
  parts: SearchParts,
  { vectors, text, itself }: SimilarVectors,
  { topK, filter, leastCosine }: NearestOptions,
): Promise<SearchAnswer> {
  const { scope, readModel } = parts
  const state = await readSearchState(scope, readModel)
  const condition = sql<boolean>`(${filterCondition(readModel.tables, filter)} and m.memory_id is distinct from ${itself}::uuid)`
  const input: RetrieverInput = {
    ...parts,
    condition,
    includeForgotten: filter.includeForgotten === true,
    limit: topK,
    ...(narrows(filter) && { few: once(() => readFew({ scope, readModel, condition }, null)) }),
  }
  const best = new Map<string, VectorHit>()
  for (const vector of vectors)
    for (const hit of await vectorRetriever(input, vector))
      if (hit.score >= leastCosine && hit.score > (best.get(hit.memoryId)?.score ?? Number.NEGATIVE_INFINITY))
        best.set(hit.memoryId, hit)
  const nearest = [...best.values()].toSorted((a, b) => b.score - a.score).slice(0, topK)
  const hits = await present(parts, nearest, text)
  return {
    hits,
    matchType: hits.length === 0 ? null : 'SEMANTIC',
    engine: 'POSTGRES',
    degraded: [...behindJournal(state), ...waitingForVectors(state.pending)],
    message:
      hits.length === 0 ? 'Nothing is similar: no other memory that the filter selects has a vector.' : null,
    sequence: state.position,
  }
}

async function present(
  { scope, readModel }: SearchParts,
  nearest: readonly VectorHit[],
  wanted: string,
): Promise<SearchHit[]> {
  const memories = await readMemories(
    scope,
    readModel.tables,
    nearest.map(({ memoryId }) => memoryId),
  )
  const found = nearest.flatMap((hit, index) => {
    const memory = memories.get(hit.memoryId)
    return memory === undefined ? [] : [{ hit, memory, rank: index + 1 }]
  })
  const marked = await snippets(
    scope.db,
    wanted,
    found.map(({ hit, memory }) => chunkOf(memory, hit)),
  )
  const { generation, modelId } = readModel.generation
  return found.map(({ hit, memory, rank }, index) => {
    // Opposite directions are no more similar than unrelated ones.
    const score = Math.min(1, Math.max(0, hit.score))
    const vector = {
      retriever: 'vector',
      rank,
      rawScore: hit.score,
      normalisedScore: score,
      weight: 1,
    } as const
    const explained = plainExplanation({
      method: 'DEFAULT',
      retrievers: [{ ...vector, contribution: score }],
      score,
    })
    return {
      memory,
      score,
      matchType: 'SEMANTIC',
      snippet: marked[index] ?? '',
      explanation: { ...explained, generation, modelId },
    }
  })
}

const chunkOf = ({ state }: Memory, { spanStart, spanEnd }: VectorHit) =>
  embeddedTextOf(state).slice(spanStart, spanEnd)

/** From this cosine on, two texts count as near-duplicates (docs/measurements.md#near-duplicates). */
export const DUPLICATE_COSINE = 0.9

/**
 * The memories that say nearly the same as one that was just written, nearest first. The text is embedded here,
 * because its vector is not stored yet, after the write is committed. Without an embedder the answer is empty
 * and says why.
 */
export async function nearDuplicates(
  parts: SearchParts,
  { state }: Memory,
  topK: number,
): Promise<SearchAnswer> {
  const text = embeddedTextOf(state)
  const options = { topK, filter: {}, leastCosine: DUPLICATE_COSINE }
  try {
    const vectors = await embedText(parts, text)
    const answer = await nearestTo(parts, { vectors, text, itself: state.id }, options)
    return { ...answer, message: null }
  } catch (error) {
    if (!(error instanceof DaybookError) || error.code !== 'EMBEDDING') throw error
    const none = await nearestTo(parts, { vectors: [], text, itself: state.id }, options)
    return { ...none, message: null, degraded: [error.message] }
  }
}

/** What others are compared with: exactly one of the three. */
interface SimilarTo {
  readonly text?: string | null | undefined
  /** A memory, in either spelling. */
  readonly id?: string | null | undefined
  readonly vector?: readonly number[] | null | undefined
}

/** The vectors to compare with. */
interface SimilarVectors {
  readonly vectors: readonly Float32Array[]
  /** The text behind them, for snippets; empty for a vector. */
  readonly text: string
  /** The plain id of the memory itself, which is not similar to itself; null for a text or a vector. */
  readonly itself: string | null
}

/**
 * The most parts of a long text that are compared. Each is a search of its own: eight take some 40 ms in a
 * small project, and the rest of a text that long hardly finds others.
 */
const MOST_CHUNKS = 8

/**
 * The vectors of a text, a memory or the caller's own.
 * @throws ValidationError if there is not exactly one of the three, or it is not valid; NotFoundError; DaybookError
 * EMBEDDING if a text has to be embedded and nothing can
 */
async function similarVectors(parts: SearchParts, to: SimilarTo): Promise<SimilarVectors> {
  const given = (['text', 'id', 'vector'] as const).filter((name) => to[name] != null)
  if (given.length !== 1)
    throw new ValidationError(
      given[1] ?? 'text',
      `is wrong: give exactly one of text, id and vector${given.length > 1 ? `, not ${given.join(' and ')}` : ''}`,
    )
  if (to.vector != null) return { vectors: [checkVector(parts, to.vector)], text: '', itself: null }
  if (to.text != null) {
    const text = checkText(to.text)
    return { vectors: await embedText(parts, text), text, itself: null }
  }
  return vectorsOfMemory(parts, to.id ?? '')
}

function checkText(text: string): string {
  if (isBlank(text)) throw new ValidationError('text', 'is empty: give a text, or a memory by its id')
  if (bytes(text) > LIMITS.textBytes)
    throw new ValidationError('text', `is too long: the limit is ${sizeInWords(LIMITS.textBytes)} of UTF-8`)
  return text
}

function checkVector({ readModel }: SearchParts, vector: readonly number[]): Float32Array {
  const { modelId, dimension } = readModel.generation
  if (vector.length !== dimension)
    throw new ValidationError(
      'vector',
      `has ${vector.length} numbers, and the vectors of the index have ${dimension}: it must come from the model ${modelId}`,
    )
  const numbers = Float32Array.from(vector)
  if (numbers.some((number) => !Number.isFinite(number)))
    throw new ValidationError('vector', 'must hold finite numbers only')
  if (numbers.every((number) => number === 0))
    throw new ValidationError('vector', 'must not be all zeros: it has no direction to compare')
  return numbers
}

async function vectorsOfMemory(parts: SearchParts, id: string): Promise<SimilarVectors> {
  const { scope, readModel } = parts
  const ref = parseMemoryId(id)
  const found = ref && (await readMemories(scope, readModel.tables, [ref.uuid])).get(ref.uuid)
  if (ref === null || found == null || (ref.kind !== null && found.state.kind !== ref.kind))
    throw new NotFoundError(`The memory "${id.slice(0, 64)}"`)
  const text = embeddedTextOf(found.state)
  const hash = contentHash(text).toString('hex')
  const stored = (await readStoredVectors(scope, readModel.generation.modelId, [hash])).get(hash) ?? []
  const vectors =
    stored.length > 0
      ? stored.slice(0, MOST_CHUNKS).map(({ embedding }) => Float32Array.from(embedding))
      : await embedText(parts, text)
  return { vectors, text, itself: ref.uuid }
}

/** The vectors of a text's chunks. @throws DaybookError EMBEDDING */
async function embedText(
  { embedders, readModel, scope: { projectId } }: SearchParts,
  text: string,
): Promise<Float32Array[]> {
  const { modelId } = readModel.generation
  const embedder = await embedders.of(modelId).catch(unanswered)
  if (embedder === null)
    throw new DaybookError(
      'EMBEDDING',
      `There is no embedder for the index's model ${modelId} (DAYBOOK_EMBEDDER), and the text has no vector yet: give a vector, or a memory that has one`,
    )
  return embedChunks(embedder, text, projectId).catch(unanswered)
}

async function embedChunks(embedder: Embedder, text: string, projectId: string): Promise<Float32Array[]> {
  const [spans = []] = await embedder.chunk([text])
  const chunks = spans.slice(0, MOST_CHUNKS).map(({ start, end }) => text.slice(start, end))
  const embedded = await Promise.all(
    chunks.map((chunk) =>
      embedder.embedQuery(chunk, { projectId }).catch((error: unknown) => {
        if (error instanceof EmbedderError && error.code === 'NO_KNOWN_WORD') return null
        throw error
      }),
    ),
  )
  const vectors = embedded.flatMap((one) => (one === null ? [] : [one.vector]))
  if (vectors.length > 0) return vectors
  throw new ValidationError(
    'text',
    `has no word that the model ${embedder.modelId} knows, so nothing is like it`,
  )
}

function unanswered(error: unknown): never {
  if (error instanceof ValidationError) throw error
  throw new DaybookError('EMBEDDING', `The embedder does not answer: ${reasonOf(error)}`, { cause: error })
}
