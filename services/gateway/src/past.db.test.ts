import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { describe, expect, test } from 'vitest'
import { REMEMBER, type TestClient, useTestGateway } from './testing/test-gateway.ts'

const SEARCH = `query ($q: String!, $asOf: DateTime, $across: Boolean, $mode: SearchMode, $engine: SearchEngine) {
  search(query: $q, asOf: $asOf, acrossVersions: $across, mode: $mode, engine: $engine) {
    engine degraded message matchType sequence
    hits { version snippet matchType memory { text version labels forgottenAt } explanation { score } }
  }
}`

// What differs between databases is tested in `libs/search/src/past`.
describe.each(TEST_DATABASES.slice(0, 1))('the past in the API on $name', ({ start }) => {
  const suite = useTestGateway(start)

  /** A note that is revised, relabelled, forgotten and brought back, and one that was remembered later. */
  async function history(client: TestClient) {
    const { remember } = await client.data(REMEMBER, {
      input: { content: { note: { text: 'the launch is on Friday' } }, labels: ['plan'] },
    })
    const { id } = remember.memory
    await client.data(
      `mutation ($id: ID!) {
        a: revise(id: $id, input: { content: { note: { text: "the launch is on Monday" } } }) { __typename }
        b: revise(id: $id, input: { labels: ["plan", "public"], importance: 9 }) { __typename }
        c: forget(id: $id) { __typename }
      }`,
      { id },
    )
    await client.data(REMEMBER, { input: { content: { note: { text: 'an otter' } } } })
    await client.data('{ search(query: "x", atLeast: 5) { sequence } }')
    const { journal } = await client.data('{ journal { sequence version recordedAt } }')
    return { id, times: journal.map((event: { recordedAt: string }) => event.recordedAt) as string[] }
  }
  const find = async (client: TestClient, variables: object) =>
    (await client.data(SEARCH, { mode: 'HYBRID', ...variables }))['search']

  test('memory, memories and search show what was true at a moment (capability 16)', async () => {
    const { client } = suite
    const { id, times } = await history(client)
    const seen = []
    for (const asOf of [...times, '2999-01-01T00:00:00Z', '2001-01-01T00:00:00Z']) {
      const answer = await client.data(
        `query ($id: ID!, $asOf: DateTime) {
          memory(id: $id, asOf: $asOf) { version text forgottenAt }
          memories(asOf: $asOf) { edges { node { text } } }
          facets(asOf: $asOf) { memories }
          all: memories(asOf: $asOf, filter: { includeForgotten: true, labelsAny: ["public"] }) { edges { node { version } } }
        }`,
        { id, asOf },
      )
      seen.push({
        version: answer['memory']?.version ?? null,
        counted: answer['facets'].memories,
        texts: answer['memories'].edges.map(({ node }: { node: { text: string } }) => node.text),
        public: answer['all'].edges.map(({ node }: { node: { version: number } }) => node.version),
        found: (await find(client, { q: 'launch', mode: 'KEYWORD', asOf })).hits.map(
          (hit: { memory: { text: string } }) => hit.memory.text,
        ),
      })
    }
    const [friday, monday] = ['the launch is on Friday', 'the launch is on Monday']
    // The events of one request may have been recorded in the same millisecond, and then belong to one moment.
    const steps = [
      { version: 1, counted: 1, texts: [friday], public: [], found: [friday] },
      { version: 2, counted: 1, texts: [monday], public: [], found: [monday] },
      { version: 3, counted: 1, texts: [monday], public: [3], found: [monday] },
      { version: 4, counted: 0, texts: [], public: [4], found: [] },
      { version: 4, counted: 1, texts: ['an otter'], public: [4], found: [] },
    ]
    expect(seen).toEqual([
      ...times.map((time) => steps[times.lastIndexOf(time)]),
      steps[4],
      { version: null, counted: 0, texts: [], public: [], found: [] },
    ])
    expect(seen[0]).toEqual(steps[0])
  })

  test('acrossVersions finds revised texts with their version, and says who answers (capability 16)', async () => {
    const { client } = suite
    const { id } = await history(client)
    await client.data('mutation ($id: ID!) { restore(id: $id) { __typename } }', { id })
    await client.data('{ search(query: "x", atLeast: 6) { sequence } }')
    expect(
      await find(client, { q: 'Friday', across: true, mode: 'KEYWORD', engine: 'TYPESENSE' }),
    ).toMatchObject({
      engine: 'POSTGRES',
      degraded: ['typesense has only present texts, answered by Postgres'],
      matchType: 'KEYWORD',
      sequence: 6,
      hits: [
        {
          version: 1,
          snippet: 'the launch is on <mark>Friday</mark>',
          memory: { text: 'the launch is on Friday', version: 1, labels: ['plan'] },
        },
      ],
    })
    const both = await find(client, { q: 'launch', across: true, mode: 'KEYWORD' })
    expect(both.degraded).toEqual([])
    expect(both.hits.map((hit: { version: number }) => hit.version).toSorted()).toEqual([1, 5])
    expect((await find(client, { q: 'Friday', mode: 'KEYWORD' })).hits).toEqual([])
    const { body } = await client.send(SEARCH, { q: 'x', across: true, asOf: '2026-01-01T00:00:00Z' })
    expect(body.errors?.[0]).toMatchObject({
      message: expect.stringContaining('cannot be combined with asOf'),
      extensions: { code: 'VALIDATION', field: 'acrossVersions' },
    })
  })

  test('diff names changed fields and words, even of forgotten memories, and unknown versions (capability 16)', async () => {
    const { client } = suite
    const { id } = await history(client)
    const DIFF = `query ($id: ID!, $from: Int!, $to: Int) {
      diff(id: $id, from: $from, to: $to) { id from to changed { field before after } text { change text } }
    }`
    const { diff } = await client.data(DIFF, { id, from: 1 })
    expect(diff).toEqual({
      id,
      from: 1,
      to: 4,
      changed: [
        { field: 'content.text', before: 'the launch is on Friday', after: 'the launch is on Monday' },
        { field: 'labels', before: ['plan'], after: ['plan', 'public'] },
        { field: 'importance', before: 5, after: 9 },
        { field: 'forgottenAt', before: null, after: expect.any(String) },
      ],
      text: [
        { change: 'SAME', text: 'the launch is on ' },
        { change: 'REMOVED', text: 'Friday' },
        { change: 'ADDED', text: 'Monday' },
      ],
    })
    const back = await client.data(DIFF, { id, from: 3, to: 2 })
    expect(back['diff'].changed.map(({ field }: { field: string }) => field)).toEqual([
      'labels',
      'importance',
    ])
    for (const variables of [{ from: 5 }, { from: 0 }, { from: 1, to: 9 }, { from: -1, to: 2 }]) {
      const { body } = await client.send(DIFF, { id, ...variables })
      expect(body.errors?.[0]).toMatchObject({
        message: expect.stringContaining('it has the versions 1 to 4'),
        extensions: { code: 'VALIDATION', field: variables.to === 9 ? 'to' : 'from' },
      })
    }
    const unknown = { id: 'note:0192f0c1-0000-7000-8000-000000000000', from: 1 }
    expect(await client.data(DIFF, unknown)).toEqual({ diff: null })
    const other = await suite.running.newClient()
    expect(await other.data(DIFF, { id, from: 1 })).toEqual({ diff: null })
  })
})
