import type { Embedder } from '@daybook/embeddings/embedder'
import { readStoredVectors } from '@daybook/embeddings/stored-vectors'
import { contentHash } from '@daybook/memory/content-hash'
import { DaybookError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { parseMemoryId } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { sizeInWords } from '@daybook/memory/size-in-words'
import { embeddedTextOf } from '@daybook/memory/state'
import { bytes, isBlank } from '@daybook/memory/text-rules'
import { readMemories } from '@daybook/pgvector/read/read-memories'
import { reasonOf } from '@daybook/runtime/reason-of'
import type { SearchParts } from '../search-parts.ts'

/** What others are compared with: exactly one of the three. */
export interface SimilarTo {
  readonly text?: string | null | undefined
  /** A memory, in either spelling. */
  readonly id?: string | null | undefined
  readonly vector?: readonly number[] | null | undefined
}

/** The vectors to compare with. */
export interface SimilarVectors {
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
export async function similarVectors(parts: SearchParts, to: SimilarTo): Promise<SimilarVectors> {
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
export async function embedText(
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
  const embedded = await Promise.all(chunks.map((chunk) => embedder.embedQuery(chunk, { projectId })))
  return embedded.map(({ vector }) => vector)
}

function unanswered(error: unknown): never {
  throw new DaybookError('EMBEDDING', `The embedder does not answer: ${reasonOf(error)}`, { cause: error })
}
