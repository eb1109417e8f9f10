import type { MemoryFilter } from '@daybook/memory/filter'
import {
  newTestName,
  type TestTypesense,
  TYPESENSE_SERVERS,
} from '@daybook/typesense-double/typesense-servers'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTypesenseClient } from '../client/client.ts'
import { collectionFields } from '../write/collection.ts'
import { typesenseFilter } from './filter.ts'

const PROJECT = '0192f0c1-0000-7000-8000-000000000001'
const OTHER = '0192f0c1-0000-7000-8000-000000000002'

describe('a filter in the language of Typesense', () => {
  it('is about one project and what lives in it', () => {
    const everything = `project_id:=\`${PROJECT}\` && forgotten:=false`
    expect(typesenseFilter(PROJECT, {})).toEqual({ everything, known: everything, filterBy: everything })
    expect(typesenseFilter(PROJECT, { includeForgotten: true })).toEqual({
      everything,
      known: `project_id:=\`${PROJECT}\``,
      filterBy: `project_id:=\`${PROJECT}\``,
    })
  })

  it('says what can be said', () => {
    const filter: MemoryFilter = {
      kinds: ['note', 'insight'],
      labelsAny: ['a b', 'été'],
      labelsAll: ['x', 'y'],
      categories: ['c'],
      context: 'ctx:1',
      agent: 'me',
      minImportance: 2.5,
      createdAfter: '2026-01-01T00:00:00Z',
      occurredBefore: '1969-12-31T23:59:59Z',
    }
    expect(typesenseFilter(PROJECT, filter).filterBy).toBe(
      [
        `project_id:=\`${PROJECT}\``,
        'forgotten:=false',
        'kind:=[`note`,`insight`]',
        'labels:=[`a b`,`été`]',
        'labels:=[`x`]',
        'labels:=[`y`]',
        'categories:=[`c`]',
        'context:=[`ctx:1`]',
        'agent:=[`me`]',
        'importance:>=3',
        'created_at:>=1767225600000',
        'occurred_at:<=-1000',
      ].join(' && '),
    )
  })

  it.each([
    'p2` || project_id:=`x',
    'ends with \\',
    '`',
    '`]',
    '',
    '***',
    // A letter to Unicode, an apostrophe to Typesense, which drops it.
    '\u02b9',
    'a\nb',
    'a\u0000b',
    '\u202e',
    'x'.repeat(65),
    'a]b',
    'a,b',
    '(a)',
  ])('leaves a condition out that would have to hold %j', (value) => {
    const { everything } = typesenseFilter(PROJECT, {})
    expect(typesenseFilter(PROJECT, { context: value, labelsAny: ['a', value] }).filterBy).toBe(everything)
  })

  it.each(['p1', '', `${PROJECT}\``, `${PROJECT}\` || project_id:=\`${OTHER}`])(
    'refuses the project %j',
    (projectId) => {
      expect(() => typesenseFilter(projectId, {})).toThrow(/not a UUID/)
    },
  )
})

describe.each(TYPESENSE_SERVERS)('on $name', ({ start }) => {
  const name = newTestName()
  let server: TestTypesense
  let client: ReturnType<typeof createTypesenseClient>
  beforeAll(async () => {
    server = await start()
    client = createTypesenseClient({ url: server.url, apiKey: server.apiKey })
    await client.request((one) => one.collections().create({ name, fields: collectionFields(4) }))
  })
  afterAll(async () => {
    await client?.request((one) => one.collections(name).delete())
    client?.close()
    await server?.stop()
  })

  const nasty = fc.oneof(
    fc.string({
      unit: fc.constantFrom(
        ...'`\\|&()[],:=<>!*"\' -ab1é記\n\t\0',
        ' || ',
        ' && ',
        `project_id:=\`${OTHER}\``,
      ),
      maxLength: 12,
    }),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  )

  it('no value leaves its quotes, and none that is held is missed', async () => {
    await fc.assert(
      fc.asyncProperty(nasty, nasty, nasty, async (label, context, other) => {
        const document = (projectId: string, index: number) => ({
          id: `${projectId}_${index}`,
          project_id: projectId,
          memory_id: String(index),
          chunk: 0,
          kind: 'note',
          labels: [label, other],
          categories: [context],
          importance: 3,
          context,
          agent: other,
          lexemes: 'text',
          created_at: 1000,
          updated_at: 1000,
          sequence: 1,
          version: 1,
          forgotten: false,
        })
        const lines = [document(PROJECT, 1), document(OTHER, 2)].map((one) => JSON.stringify(one))
        const answers = await client.importLines(name, 'upsert', lines)
        expect(answers.map((line) => JSON.parse(line).success)).toEqual([true, true])
        const filters: MemoryFilter[] = [
          { context },
          { agent: other, labelsAll: [label] },
          { labelsAny: [other, label], categories: [context] },
          { minImportance: 3, createdAfter: '1970-01-01T00:00:01Z', createdBefore: '1970-01-01T00:00:01.5Z' },
        ]
        for (const filter of filters) {
          const { hits } = await client.request((one) =>
            one
              .collections<{ memory_id: string }>(name)
              .documents()
              .search({ q: '*', query_by: 'lexemes', filter_by: typesenseFilter(PROJECT, filter).filterBy }),
          )
          expect(hits?.map((hit) => hit.document.memory_id)).toEqual(['1'])
        }
      }),
      { numRuns: 200 },
    )
  })
})
