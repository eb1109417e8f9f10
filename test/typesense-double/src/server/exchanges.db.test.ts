import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { needing } from '@daybook/runtime/testing/needing'
import type { Need } from '@daybook/runtime/testing/needs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTypesenseDouble, type TypesenseDouble } from '../start-typesense-double.ts'

interface Exchange {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly path: string
    readonly apiKey: string
    readonly body?: unknown
    readonly bodyText?: string
  }
  readonly response: {
    readonly status: number
    readonly contentType: string
    readonly body?: unknown
    readonly bodyText?: string
  }
}

const FILE = fileURLToPath(new URL('../../../../../shared/typesense/exchanges.json', import.meta.url))
const isThere = existsSync(FILE)
const RECORDED: Need = {
  name: 'exchanges recorded with a real Typesense',
  problem: isThere ? null : `There is no ${FILE}.`,
  optional: true,
}
const exchanges: readonly Exchange[] = isThere ? JSON.parse(readFileSync(FILE, 'utf8')).exchanges : []

/**
 * Replaces values that differ from run to run by their types: the duration of a search, the creation time of
 * a collection (a document's is data and stays), generated keys, figures of the recording machine. Facet
 * values with equal counts come in the order of the server's hash table; here they are sorted.
 */
function steady(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(steady)
    return items.every(isCount)
      ? items.toSorted((left, right) => right.count - left.count || left.value.localeCompare(right.value))
      : items
  }
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isVolatile =
        name === 'search_time_ms' ||
        (name === 'created_at' && 'num_documents' in value) ||
        (name === 'value' && 'actions' in value)
      if (isVolatile) return [name, typeof inner]
      if (/^(?:system|typesense)_/.test(name)) return [name, /^\d+(?:\.\d+)?$/.test(String(inner))]
      return [name, steady(inner)]
    }),
  )
}

const isCount = (item: unknown): item is { count: number; value: string } =>
  item !== null && typeof item === 'object' && 'count' in item && 'highlighted' in item

needing(RECORDED).describe('the exchanges recorded with Typesense 29.0, in order', () => {
  let double: TypesenseDouble
  let searchKey = ''

  beforeAll(async () => {
    double = await startTypesenseDouble({ apiKey: 'admin' })
    // The recorded server already had this collection.
    const post = (path: string, body: string) =>
      fetch(double.url + path, { method: 'POST', headers: { 'x-typesense-api-key': 'admin' }, body })
    await post('/collections', JSON.stringify({ name: 'loc', fields: [{ name: 'text', type: 'string' }] }))
    const lines = Array.from({ length: 5882 }, (_, index) => JSON.stringify({ text: `turn ${index}` }))
    await post('/collections/loc/documents/import', lines.join('\n'))
  })

  afterAll(() => double.stop())

  function keyOf(name: string): string | null {
    if (name === 'none') return null
    if (name === 'search-only key cannot write') return searchKey
    if (name !== 'scoped key is confined to its filter') return name
    const params = JSON.stringify({ filter_by: 'project_id:=`p1`' })
    const digest = createHmac('sha256', searchKey).update(params).digest('base64')
    return Buffer.from(digest + searchKey.slice(0, 4) + params).toString('base64')
  }

  it.each(exchanges.map((exchange, index) => ({ index, ...exchange })))(
    '$index $name',
    async ({ request, response }) => {
      const apiKey = keyOf(request.apiKey)
      const body = request.bodyText ?? (request.body === undefined ? null : JSON.stringify(request.body))
      const answer = await fetch(double.url + request.path, {
        method: request.method,
        headers: apiKey === null ? {} : { 'x-typesense-api-key': apiKey },
        body,
      })
      const text = await answer.text()
      if (request.path === '/keys') searchKey = JSON.parse(text).value
      if (response.bodyText !== undefined) expect(text).toBe(response.bodyText)
      else expect(steady(JSON.parse(text))).toEqual(steady(response.body))
      expect(answer.headers.get('content-type')).toBe(response.contentType)
      expect(answer.status).toBe(response.status)
    },
  )
})
