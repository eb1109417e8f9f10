import { describe, expect, it } from 'vitest'
import type { JsonDocument, TypesenseClient } from '../client/client.ts'
import { TypesenseUnavailableError } from '../client/errors.ts'
import { importDocuments } from './import-documents.ts'
import type { LeasedProject } from './with-project-lease.ts'
import type { GenerationWriter } from './writer.ts'

/** Answers each line with `answer`; nothing is stored. */
function server(answer: (document: JsonDocument) => object) {
  const calls: string[][] = []
  let cut = 0
  const client = {
    async importLines(_collection, _action, lines) {
      const documents = lines.map((line) => JSON.parse(line) as JsonDocument)
      calls.push(documents.map(({ id }) => id))
      return documents.slice(0, documents.length - cut).map((document) => JSON.stringify(answer(document)))
    },
  } as Partial<TypesenseClient> as TypesenseClient
  const writer = { client, collection: 'c' } as Partial<GenerationWriter> as GenerationWriter
  const written: string[] = []
  const held = {
    write: async (memoryIds, call) => {
      written.push(...memoryIds)
      return call()
    },
  } as Partial<LeasedProject> as LeasedProject
  return {
    calls,
    written,
    losesLastLine: () => {
      cut = 1
    },
    send: (documents: readonly JsonDocument[], action: 'upsert' | 'update' = 'upsert') =>
      importDocuments(writer, held, action, documents, ({ id }) => `memory of ${id}`),
  }
}

const documents = (count: number, text = '') =>
  Array.from({ length: count }, (_, index) => ({ id: String(index), text }))
const ok = { success: true }
const failed = (code: number, error = 'no') => ({ success: false, code, error })

describe('an import', () => {
  it('is sent in parts that a server answers quickly, and says whose documents each call writes', async () => {
    const { calls, written, send } = server(() => ok)
    expect(await send(documents(5, 'x'.repeat(900_000)))).toEqual([])
    expect(calls).toEqual([['0', '1'], ['2', '3'], ['4']])
    expect(written).toEqual(['0', '1', '2', '3', '4'].map((id) => `memory of ${id}`))
  })

  it('sends what was refused again, and tells what was refused again', async () => {
    let tries = 0
    const { calls, send } = server(({ id }) => {
      if (id === '1') return failed(400, 'bad')
      if (id === '2' && tries++ === 0) return failed(400, 'stumbled')
      return ok
    })
    expect(await send(documents(4))).toEqual([{ document: documents(4)[1], code: 400, error: 'bad' }])
    expect(calls).toEqual([
      ['0', '1', '2', '3'],
      ['1', '2'],
    ])
  })

  it('does not send an update again whose document is not there', async () => {
    const { calls, send } = server(() => failed(404, 'Could not find a document'))
    expect(await send(documents(2), 'update')).toHaveLength(2)
    expect(calls).toHaveLength(1)
  })

  it.each([
    ['a line says that it is lagging', (id: string) => (id === '1' ? failed(503) : ok)],
    [
      'a line says that its disk is full',
      (id: string) => (id === '1' ? failed(500, 'Could not write to on-disk storage.') : ok),
    ],
    ['every one of many lines fails in the server itself', () => failed(500)],
  ])('finds Typesense unavailable where %s', async (_, answer) => {
    await expect(server(({ id }) => answer(id)).send(documents(10))).rejects.toThrow(
      TypesenseUnavailableError,
    )
  })

  it('takes few lines at which the server stumbles for the fault of its document', async () => {
    expect(await server(({ id }) => (id === '1' ? failed(500) : ok)).send(documents(3))).toHaveLength(1)
    expect(await server(() => failed(500)).send(documents(9))).toHaveLength(9)
    const { send } = server(({ id }) => (Number(id) % 5 === 0 ? failed(500) : ok))
    expect(await send(documents(100))).toHaveLength(20)
  })

  it('whose answer lacks lines may have arrived', async () => {
    const { send, losesLastLine } = server(() => ok)
    losesLastLine()
    await expect(send(documents(3))).rejects.toMatchObject({ code: 'UNAVAILABLE', mayHaveArrived: true })
  })
})
