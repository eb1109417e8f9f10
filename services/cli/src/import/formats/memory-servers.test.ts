import { expect, test } from 'vitest'
import { inputs, readForeign, useFolder, writeIn } from '../testing/foreign-files.ts'
import { openForeign } from './open-foreign.ts'

const folder = useFolder()
const write = (path: string, content: unknown) => writeIn(folder, path, content)
const lines = (...values: readonly unknown[]) =>
  values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n')

test('a knowledge graph: an entity has its observations and relations, whatever the file is called', async () => {
  const graph = lines(
    { type: 'entity', name: 'Ada', entityType: 'person', observations: ['Keeps bees', 'Lives in Rye'] },
    { type: 'entity', name: 'Honey', entityType: 'product', observations: [] },
    { type: 'relation', from: 'Ada', to: 'Honey', relationType: 'sells_at_market' },
    { type: 'relation', from: 'Nobody', to: 'Ada', relationType: 'knows' },
    '{"type":"entity","name":"cut o',
    { type: 'entity', name: ' ', entityType: 'person', observations: ['?'] },
  )
  const entity = (name: string, type: string, content?: string) => ({
    content: { entity: { name, type, ...(content !== undefined && { content }) } },
    labels: ['server-memory'],
    metadata: {},
    idempotencyKey: expect.stringMatching(/^server-memory:[0-9a-f]{32}$/u),
  })
  for (const path of ['graph/memory.jsonl', 'graph/memory.json']) {
    const { name, items } = await readForeign(write(path, graph))
    expect(name).toBe('server-memory')
    expect(inputs(items)).toEqual([
      { where: 'relation from "Nobody"', leftOut: 'relations of nothing' },
      entity('Ada', 'person', 'Keeps bees\nLives in Rye\nAda sells at market Honey'),
      entity('Honey', 'product'),
      { where: 'entity 3', problem: expect.stringContaining('is no object') },
      { where: 'entity 4', problem: 'has no name' },
    ])
  }
  const answered = {
    entities: [{ name: 'Ada', entityType: 'person', observations: ['Keeps bees'] }],
    relations: [],
  }
  const { items } = await readForeign(write('graph/read_graph.json', answered))
  expect(inputs(items)).toEqual([entity('Ada', 'person', 'Keeps bees')])
})

test('an export of mcp-memory-service keeps tags, times and types', async () => {
  const { name, items } = await readForeign(
    write('service.json', {
      export_metadata: { source_machine: 'lab', total_memories: 3 },
      memories: [
        {
          content: 'Use pnpm',
          content_hash: 'abc',
          tags: ['build', 'node'],
          created_at: 1_700_000_000.5,
          memory_type: 'decision',
          metadata: { source: 'chat' },
        },
        {
          content: 'By text',
          content_hash: 'def',
          tags: 'one,two',
          created_at_iso: '2025-03-04T05:06:07Z',
        },
        null,
        { content: ' ', content_hash: 'x' },
      ],
    }),
  )
  expect(name).toBe('mcp-memory-service')
  expect(inputs(items)).toEqual([
    {
      content: { note: { text: 'Use pnpm' } },
      labels: ['build', 'node', 'mcp-memory-service'],
      occurredAt: '2023-11-14T22:13:20.500Z',
      metadata: { source: 'chat', type: 'decision', machine: 'lab' },
      idempotencyKey: 'mcp-memory-service:abc',
    },
    {
      content: { note: { text: 'By text' } },
      labels: ['one', 'two', 'mcp-memory-service'],
      occurredAt: '2025-03-04T05:06:07.000Z',
      metadata: { machine: 'lab' },
      idempotencyKey: 'mcp-memory-service:def',
    },
    { where: 'memory 3', problem: 'is no object: null' },
    { where: 'memory 4', problem: 'has no text' },
  ])
})

test('an export of claude-mem: observations, decisions, summaries and prompts, in the context of their project', async () => {
  const of = (more: object) => ({
    memory_session_id: 's1',
    project: 'shop',
    created_at_epoch: 1_700_000_000_000,
    ...more,
  })
  const { name, items } = await readForeign(
    write('claude-mem.json', {
      query: '',
      observations: [
        of({
          id: 1,
          type: 'bugfix',
          title: 'Till rounds wrongly',
          subtitle: 'VAT',
          narrative: 'It rounded each line.',
          facts: '["Fixed in till.ts"]',
          concepts: '["gotcha"]',
          files_modified: '["till.ts"]',
        }),
        of({ id: 2, type: 'decision', title: 'Database', narrative: 'We take Postgres' }),
        of({ id: 3, type: 'change', title: null, text: null }),
      ],
      summaries: [of({ id: 4, request: 'Mend the till', completed: 'Done', learned: null })],
      prompts: [
        of({
          id: 5,
          memory_session_id: undefined,
          content_session_id: 'c1',
          prompt_number: 2,
          prompt_text: 'mend it',
        }),
      ],
      sessions: [{}, {}],
    }),
  )
  expect(name).toBe('claude-mem')
  const common = { context: 'shop', occurredAt: '2023-11-14T22:13:20.000Z' }
  expect(inputs(items)).toEqual([
    {
      ...common,
      content: {
        fact: { summary: 'Till rounds wrongly', content: 'VAT\nIt rounded each line.\nFixed in till.ts' },
      },
      labels: ['claude-mem', 'gotcha'],
      metadata: { type: 'bugfix', session: 's1', filesModified: ['till.ts'] },
      idempotencyKey: expect.stringMatching(/^claude-mem:observation:[0-9a-f]{32}$/u),
    },
    expect.objectContaining({
      content: { decision: { topic: 'Database', decision: 'We take Postgres' } },
      onExisting: 'KEEP_BOTH',
    }),
    { where: 'observation 3', problem: 'has no text' },
    expect.objectContaining({
      ...common,
      content: { session: { summary: 'Asked: Mend the till\nDone: Done', status: 'CLOSED' } },
    }),
    expect.objectContaining({ content: { note: { text: 'user: mend it' } }, labels: ['claude-mem'] }),
    { where: 'sessions', leftOut: 'session records' },
    { where: 'sessions', leftOut: 'session records' },
  ])
  const keys = inputs(items).flatMap((one) => ('idempotencyKey' in one ? [one.idempotencyKey] : []))
  expect(new Set(keys).size).toBe(4)
})

test('other JSON Lines are none of these', async () => {
  expect(await openForeign(write('other.jsonl', '{"type":"note","text":"x"}\n'), undefined)).toBeNull()
  expect(await openForeign(write('empty.jsonl', ''), undefined)).toBeNull()
})

test('entities of one name and two types are two, and two lines for one entity are one', async () => {
  const graph = lines(
    '{"type":"entity","name":"torn o',
    { entityType: 'person', type: 'entity', name: 'Apple', observations: ['likes ponies'] },
    { entityType: 'company', name: 'Apple', type: 'entity', observations: ['makes laptops'] },
    { entityType: 'company', name: 'Apple', type: 'entity', observations: ['is in Cupertino'] },
  )
  const { items } = await readForeign(write('twice/memory.jsonl', graph))
  const entities = items.flatMap((item) => ('input' in item ? [item.input] : []))
  expect(entities.map(({ content }) => content)).toEqual([
    { entity: { name: 'Apple', type: 'person', content: 'likes ponies' } },
    { entity: { name: 'Apple', type: 'company', content: 'makes laptops\nis in Cupertino' } },
    { entity: { name: 'Apple', type: 'company', content: 'makes laptops\nis in Cupertino' } },
  ])
  const keys = entities.map(({ idempotencyKey }) => idempotencyKey)
  expect(new Set(keys).size).toBe(2)
  expect(keys[1]).toBe(keys[2])
})

test('observations of one moment and title are several', async () => {
  const observation = (narrative: string) => ({
    memory_session_id: 's',
    type: 'discovery',
    title: 'Found it',
    narrative,
    created_at_epoch: 1_700_000_000_000,
  })
  const { items } = await readForeign(
    write('mem.json', { observations: [observation('first'), observation('second')], summaries: [] }),
  )
  const keys = items.flatMap((item) => ('input' in item ? [item.input.idempotencyKey] : []))
  expect(new Set(keys).size).toBe(2)
})

test.each([
  ['["alpha", "two words"]', ['alpha', 'two words']],
  ['alpha, two words', ['alpha', 'two words']],
  ['alpha beta', ['alpha', 'beta']],
  [
    ['["svelte"', '"svelte5"', '"performance"]'],
    ['svelte', 'svelte5', 'performance'],
  ],
])('tags written as %j are %j', async (tags, labels) => {
  const { items } = await readForeign(
    write('tags.json', {
      export_metadata: {},
      memories: [{ content: 'x', tags, created_at: 1_735_689_600_500 }],
    }),
  )
  expect(items).toMatchObject([
    { input: { labels: [...labels, 'mcp-memory-service'], occurredAt: '2025-01-01T00:00:00.500Z' } },
  ])
})
