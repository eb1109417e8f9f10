import type { VectorChunk } from '@daybook/embeddings/store'
import { lexicalText } from '@daybook/memory/lexical-text'
import { keyOf, type Memory, titleOf } from '@daybook/memory/state'
import type { FieldName } from './collection.ts'

/** A document of the collection. Absent values are left out, as Typesense has no null. */
export type MemoryDocument = { readonly id: string } & {
  readonly [Name in FieldName]?: string | number | boolean | readonly string[] | readonly number[]
}

/**
 * The id of a memory's document. It contains the project, so a memory can never replace a document of another
 * project, whatever its id.
 */
export function documentId(projectId: string, memoryId: string, chunk = 0): string {
  return chunk === 0 ? `${projectId}_${memoryId}` : `${projectId}_${memoryId}_${chunk}`
}

/** The fields of a vector. They are also sent alone, to a document whose vector comes later. */
export function vectorFields({ start, end, embedding }: VectorChunk) {
  return { embedding, span_start: start, span_end: end }
}

const time = (moment: string) => Date.parse(moment)
const present = <Name extends string, T>(name: Name, value: T | null) =>
  (value === null ? {} : { [name]: value }) as { [N in Name]?: T }

/** What documents hold besides the memory's state. */
export interface DocumentParts {
  readonly chunks: readonly VectorChunk[]
  /** Lexemes by lexical text (`readWords`). */
  readonly lexemes: ReadonlyMap<string, string>
}

/**
 * A memory as documents: the memory itself with its first chunk's vector, then one document for each further
 * chunk. There is only the first document while there are no vectors, and for a forgotten memory, which is
 * not searched by meaning.
 */
export function documentsOf(
  projectId: string,
  { state, version, sequence }: Memory,
  { chunks, lexemes }: DocumentParts,
): MemoryDocument[] {
  const forgotten = state.forgottenAt !== null
  const text = lexicalText(state)
  const filtered = {
    project_id: projectId,
    memory_id: state.id,
    kind: state.kind,
    labels: state.labels,
    categories: state.categories,
    importance: state.importance,
    ...present('context', state.context),
    ...present('agent', state.agent),
    ...present('occurred_at', state.occurredAt === null ? null : time(state.occurredAt)),
    created_at: time(state.createdAt),
    updated_at: time(state.updatedAt),
    ...present('expires_at', state.expiresAt === null ? null : time(state.expiresAt)),
    sequence,
    version,
    forgotten,
  }
  const [first, ...further] = forgotten ? [] : chunks
  return [
    {
      id: documentId(projectId, state.id),
      chunk: 0,
      ...filtered,
      ...present('key', keyOf(state)),
      title: titleOf(state),
      text,
      lexemes: lexemes.get(text) ?? '',
      ...(first === undefined ? {} : vectorFields(first)),
    },
    ...further.map((part, index) => ({
      id: documentId(projectId, state.id, index + 1),
      chunk: index + 1,
      ...filtered,
      ...vectorFields(part),
    })),
  ]
}
