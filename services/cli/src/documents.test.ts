import { readdirSync, readFileSync } from 'node:fs'
import type * as Api from '@daybook/api/graphql'
import { buildSchema, parse, validate } from 'graphql'
import { afterAll, expect, test, vi } from 'vitest'

/*
 * The type checker takes a field that the schema does not have for `unknown`: here every document is asked of
 * the schema.
 */

const made: Api.GraphQLDocument[] = []

// Other files of this worker have loaded these modules already, and get them again unchanged.
vi.hoisted(() => vi.resetModules())
afterAll(() => {
  vi.doUnmock('@daybook/api/graphql')
  vi.resetModules()
})

vi.mock('@daybook/api/graphql', async (original) => {
  const real = await original<typeof Api>()
  const graphql = (...given: Parameters<typeof real.graphql>) => {
    const document = real.graphql(...given)
    made.push(document)
    return document
  }
  return { ...real, graphql }
})

const schema = buildSchema(readFileSync(new URL('../../gateway/schema.graphql', import.meta.url), 'utf8'))

test('every operation of the CLI is valid in the served schema', async () => {
  const { textOf } = await import('@daybook/api/graphql')
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    // Programs begin when they are imported.
    (path) =>
      path.endsWith('.ts') && !path.endsWith('.test.ts') && path !== 'main.ts' && !path.includes('testing/'),
  )
  for (const path of sources) await import(new URL(path, import.meta.url).href)
  const { memoryContent } = await import('@daybook/client/documents/memory-content')
  const { NO_CONTENT } = await import('@daybook/client/documents/memory')
  const { searchDocument } = await import('./output/search-hit.ts')
  const { tailWhole } = await import('./commands/tail.ts')
  for (const content of [NO_CONTENT, memoryContent()]) {
    searchDocument(content)
    tailWhole(content)
  }
  const operations = made.map(textOf).filter((text) => !/^\s*fragment/u.test(text))
  expect(operations.length).toBeGreaterThan(25)
  for (const text of operations) expect(validate(schema, parse(text)), text).toEqual([])
})
