import type { Action } from './action.ts'
import { checkDocument, type Document } from './check-document.ts'
import { type Field, isText, isVector } from './field.ts'
import { RequestFailure } from './reply.ts'
import { type Schema } from './schema.ts'
import { stem } from './stem.ts'
import { type Token, tokenize } from './tokenize.ts'
import { createVectorRows, type VectorRows } from './vector-rows.ts'
import { comparable } from './vectors.ts'

/** A document with what the index knows of it. */
export interface Stored {
  /** Its number in the order of arrival; an upsert keeps it. */
  readonly seq: number
  readonly document: Document
  /** The number of words of each text, by field. */
  readonly lengths: ReadonlyMap<string, number>
}

/** The index of one field: word → seq → positions. */
export type FieldIndex = Map<string, Map<number, number[]>>

/** A collection with its documents and indexes. */
export interface Collection {
  readonly schema: Schema
  readonly createdAt: number
  readonly documents: ReadonlyMap<string, Stored>
  /** Changes with every write. */
  readonly revision: number
  bySeq(seq: number): Stored | undefined
  index(field: string): FieldIndex
  /** The vectors of a vector field. */
  vectors(field: string): VectorRows | undefined
  field(name: string): Field | undefined
  /** The words of a text of this field, not stemmed, with their positions. */
  tokens(field: Field, text: string): Token[]
  /** The words of a text of this field as they are indexed. */
  words(field: Field, text: string): string[]
  write(action: Action, given: Readonly<Record<string, unknown>>): Document
  remove(id: string): Document | null
}

/** Creates an empty collection. @param createdAt seconds since 1970 */
export function createCollection(schema: Schema, createdAt: number): Collection {
  const documents = new Map<string, Stored>()
  const seqs = new Map<number, Stored>()
  const indexes = new Map<string, FieldIndex>(
    schema.fields.filter((field) => isText(field) && field.index).map(({ name }) => [name, new Map()]),
  )
  const vectors = new Map<string, VectorRows>(
    schema.fields.filter(isVector).map((field) => [field.name, createVectorRows(field.num_dim ?? 0)]),
  )
  let nextSeq = 0
  let revision = 0

  const fieldOf = (name: string) => schema.fields.find((field) => field.name === name)
  const tokensOf = (field: Field, text: string) =>
    tokenize(text, field.token_separators ?? schema.token_separators)
  const words = (field: Field, text: string) =>
    tokensOf(field, text).map(({ word }) => (field.stem ? stem(word) : word))

  function eachWord(
    document: Document,
    visit: (index: FieldIndex, word: string, position: number, field: string) => void,
  ) {
    for (const field of schema.fields) {
      const index = indexes.get(field.name)
      const value = document[field.name]
      if (index === undefined || value === undefined || value === null) continue
      let position = 0
      for (const text of Array.isArray(value) ? value : [value])
        for (const word of words(field, String(text))) visit(index, word, position++, field.name)
    }
  }

  function drop(stored: Stored): void {
    eachWord(stored.document, (index, word) => {
      const posting = index.get(word)
      posting?.delete(stored.seq)
      if (posting?.size === 0) index.delete(word)
    })
    for (const rows of vectors.values()) rows.delete(stored.seq)
    documents.delete(stored.document.id)
    seqs.delete(stored.seq)
  }

  function put(document: Document, seq: number): void {
    for (const [name, rows] of vectors)
      if (Array.isArray(document[name]))
        rows.set(seq, comparable(document[name] as number[], fieldOf(name)?.vec_dist))
    const lengths = new Map<string, number>()
    const stored = { seq, document, lengths }
    documents.set(document.id, stored)
    seqs.set(seq, stored)
    eachWord(document, (index, word, position, field) => {
      lengths.set(field, position + 1)
      const posting = index.get(word) ?? new Map<number, number[]>()
      index.set(word, posting)
      const positions = posting.get(seq)
      if (positions === undefined) posting.set(seq, [position])
      else positions.push(position)
    })
  }

  return {
    schema,
    createdAt,
    documents,
    get revision() {
      return revision
    },
    bySeq: (seq) => seqs.get(seq),
    index: (field) => indexes.get(field) ?? new Map(),
    vectors: (field) => vectors.get(field),
    field: fieldOf,
    tokens: tokensOf,
    words,
    write(action, given) {
      if (given.id === '') throw new RequestFailure(400, 'The `id` should not be empty.')
      if (given.id === undefined && action === 'update')
        throw new RequestFailure(400, 'For update, the `id` key must be provided.')
      const id = given.id === undefined ? String(nextSeq) : given.id
      if (typeof id !== 'string') throw new RequestFailure(400, "Document's `id` field should be a string.")
      const old = documents.get(id)
      if (action === 'create' && old !== undefined)
        throw new RequestFailure(409, `A document with id ${id} already exists.`)
      if (action === 'update' && old === undefined)
        throw new RequestFailure(404, `Could not find a document with id: ${id}`)
      // The number is used up even if the document is then refused.
      const seq = old?.seq ?? nextSeq++
      const isPartial = old !== undefined && action !== 'upsert'
      const checked = checkDocument(schema, { ...given, id }, { isPartial, action })
      const merged = isPartial ? { ...old.document, ...checked, id } : { ...checked, id }
      // A null removes a field.
      const document = Object.fromEntries(
        Object.entries(merged).filter(([, value]) => value !== null),
      ) as Document
      if (old !== undefined) drop(old)
      put(document, seq)
      revision++
      return document
    },
    remove(id) {
      const stored = documents.get(id)
      if (stored === undefined) return null
      drop(stored)
      revision++
      return stored.document
    },
  }
}
