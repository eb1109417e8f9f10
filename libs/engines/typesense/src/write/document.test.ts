import type { VectorChunk } from '@daybook/embeddings/store'
import { decide } from '@daybook/memory/decide'
import { newId } from '@daybook/memory/id'
import { lexicalText } from '@daybook/memory/lexical-text'
import { keyOf, type MemoryState, titleOf } from '@daybook/memory/state'
import { rememberInputs } from '@daybook/memory/testing/generated-steps'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collectionFields, FIELD_NAMES } from './collection.ts'
import { documentId, documentsOf } from './document.ts'

const PROJECT = newId()
const NONE = new Map<string, string>()
const NOW = '2026-11-21T12:00:00.000Z'

function remembered(input: unknown): MemoryState {
  const decided = decide({ type: 'remember', id: newId(), input } as never, {
    memory: null,
    earlier: null,
    now: NOW,
  })
  if (decided === null) throw new Error('nothing was decided')
  return decided.data.state
}

const chunk: fc.Arbitrary<VectorChunk> = fc
  .tuple(
    fc.nat(100),
    fc.nat(100),
    fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 4, maxLength: 4 }),
  )
  .map(([start, length, embedding]) => ({
    start,
    end: start + length,
    embedding: embedding.map((x) => x + 0),
  }))
const memory = rememberInputs(80).map((input) => remembered(input))

const isOfType: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  int32: (value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31,
  int64: (value) => Number.isSafeInteger(value),
  'string[]': (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  'float[]': (value) => Array.isArray(value) && value.length === 4 && value.every(Number.isFinite),
}

describe('a document', () => {
  it('has fields of the schema only, each of its type, and all that are not optional', () => {
    const fields = collectionFields(4)
    fc.assert(
      fc.property(memory, fc.array(chunk, { maxLength: 3 }), fc.nat(), (state, chunks, sequence) => {
        for (const document of documentsOf(
          PROJECT,
          { state, version: 1, sequence },
          { chunks, lexemes: NONE },
        )) {
          const through = JSON.parse(JSON.stringify(document))
          expect(through).toEqual(document)
          for (const [name, value] of Object.entries(document)) {
            if (name === 'id') continue
            const field = fields.find((one) => one.name === name)
            expect(isOfType[field?.type ?? '']?.(value), `${name} is ${JSON.stringify(value)}`).toBe(true)
          }
          for (const field of fields)
            if (field.optional !== true) expect(document, field.name).toHaveProperty(field.name)
        }
      }),
    )
  })

  it('loses nothing of the state that is searched or filtered by', () => {
    fc.assert(
      fc.property(memory, (state) => {
        const [document] = documentsOf(
          PROJECT,
          { state, version: 3, sequence: 7 },
          { chunks: [], lexemes: new Map([[lexicalText(state), 'some words']]) },
        )
        const moment = (time: unknown) => (time === undefined ? null : new Date(time as number).toISOString())
        expect(document).toMatchObject({
          id: `${PROJECT}_${state.id}`,
          project_id: PROJECT,
          memory_id: state.id,
          chunk: 0,
          kind: state.kind,
          labels: state.labels,
          categories: state.categories,
          importance: state.importance,
          title: titleOf(state),
          sequence: 7,
          version: 3,
          forgotten: false,
        })
        expect(document?.context ?? null).toBe(state.context)
        expect(document?.agent ?? null).toBe(state.agent)
        expect(document?.key ?? null).toBe(keyOf(state))
        expect(document?.text).toBe(lexicalText(state))
        expect(document?.lexemes).toBe('some words')
        expect(moment(document?.created_at)).toBe(state.createdAt)
        expect(moment(document?.updated_at)).toBe(state.updatedAt)
        expect(moment(document?.occurred_at)).toBe(state.occurredAt)
        expect(moment(document?.expires_at)).toBe(state.expiresAt)
      }),
    )
  })

  it('of a further chunk carries its vector and what filters need, and no words', () => {
    const state = remembered({
      content: { kind: 'note', fields: { text: 'long' } },
      labels: ['a'],
      context: 'c',
    })
    const chunks = [0, 1, 2].map((start) => ({ start, end: start + 1, embedding: [start, 0, 0, 0] }))
    const [first, ...further] = documentsOf(
      PROJECT,
      { state, version: 1, sequence: 1 },
      { chunks, lexemes: NONE },
    )
    expect(first).toMatchObject({ embedding: [0, 0, 0, 0], span_start: 0, span_end: 1 })
    expect(further.map(({ id, chunk: number, span_start }) => [id, number, span_start])).toEqual([
      [documentId(PROJECT, state.id, 1), 1, 1],
      [documentId(PROJECT, state.id, 2), 2, 2],
    ])
    for (const one of further) {
      expect(one).toMatchObject({ memory_id: state.id, labels: ['a'], context: 'c', forgotten: false })
      for (const name of ['text', 'title', 'key', 'lexemes']) expect(one).not.toHaveProperty(name)
    }
  })

  it('of a forgotten memory is there without a vector', () => {
    const state = remembered({ content: { kind: 'note', fields: { text: 'gone' } } })
    const chunks = [0, 1].map((start) => ({ start, end: start + 1, embedding: [1, 0, 0, 0] }))
    const documents = documentsOf(
      PROJECT,
      { state: { ...state, forgottenAt: NOW }, version: 2, sequence: 2 },
      { chunks, lexemes: NONE },
    )
    expect(documents).toHaveLength(1)
    expect(documents[0]).toMatchObject({ forgotten: true })
    expect(documents[0]).not.toHaveProperty('embedding')
  })

  it('has every field of the list in some document', () => {
    const state = remembered({
      content: { kind: 'stash', fields: { name: 'n', summary: 's' } },
      context: 'c',
      agent: 'a',
      occurredAt: NOW,
      expiresAt: '2999-01-01T00:00:00.000Z',
    })
    const [document] = documentsOf(
      PROJECT,
      { state, version: 1, sequence: 1 },
      { chunks: [{ start: 0, end: 1, embedding: [1, 0, 0, 0] }], lexemes: NONE },
    )
    expect(Object.keys(document ?? {}).toSorted()).toEqual(['id', ...FIELD_NAMES].toSorted())
  })
})
