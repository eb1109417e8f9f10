import { KIND_NAMES } from '@daybook/memory/kinds/index'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { describe, expect, test } from 'vitest'
import { REMEMBER, useTestGateway } from './testing/test-gateway.ts'

const NOTE = (text: string, more: object = {}) => ({ input: { content: { note: { text } }, ...more } })

interface Hit {
  readonly score: number
  readonly explanation: {
    readonly ownScore: number
    readonly scale: number
    readonly missingNeighbours: number
    readonly session: { readonly contribution: number } | null
    readonly retrievers: readonly {
      readonly retriever: string
      readonly weight: number
      readonly contribution: number
    }[]
    readonly neighbours: readonly { readonly contribution: number }[]
  }
}

const total = (parts: readonly { readonly contribution: number }[]) =>
  parts.reduce((sum, { contribution }) => sum + contribution, 0)

describe.each(SERVICE_DATABASES)('the API on $name', ({ start }) => {
  const suite = useTestGateway(start)

  const remember = async (variables: object) => (await suite.client.data(REMEMBER, variables))['remember']

  const CONTENTS: Record<string, [content: object, selection: string]> = {
    stash: [{ name: 'n', summary: 's', files: ['a.ts'] }, 'name summary files'],
    insight: [{ key: 'k', content: 'c' }, 'key content'],
    decision: [{ topic: 't', decision: 'd', reasoning: 'r' }, 'topic decision reasoning'],
    learning: [
      { correctPattern: 'c', antiPattern: 'a', context: 'x', severity: 'high' },
      'correctPattern antiPattern contextText severity',
    ],
    error: [{ message: 'm', rootCause: 'r', fix: 'f' }, 'message rootCause fix'],
    session: [{ summary: 's', keyChanges: ['k'], status: 'ACTIVE' }, 'summary keyChanges status'],
    todo: [
      { description: 'd', context: 'x', resolvedAt: '2026-01-02T03:04:05.000Z' },
      'description contextText resolvedAt',
    ],
    note: [{ text: 't' }, 'text'],
    fact: [{ summary: 's', content: 'c' }, 'summary content'],
    document: [{ title: 't', content: 'c' }, 'title content'],
    entity: [{ name: 'n', type: 'person', content: 'c' }, 'name type content'],
  }

  test('every kind is remembered, read by id, revised, forgotten and restored (capability 1)', async () => {
    expect(Object.keys(CONTENTS).toSorted()).toEqual([...KIND_NAMES].toSorted())
    for (const [kind, [content, selection]] of Object.entries(CONTENTS)) {
      const { memory, sequence } = await remember({ input: { content: { [kind]: content } } })
      expect(memory.id).toMatch(new RegExp(`^${kind}:[0-9a-f-]{36}$`))
      const type = kind === 'error' ? 'ErrorMemory' : kind.charAt(0).toUpperCase() + kind.slice(1)
      const read = await suite.client.data(
        `query ($id: ID!, $s: Int!) { memory(id: $id, atLeast: $s) { __typename kind ... on ${type} { ${selection} } } }`,
        { id: memory.id, s: sequence },
      )
      const expected = Object.fromEntries(
        Object.entries(content).map(([name, value]) => [name === 'context' ? 'contextText' : name, value]),
      )
      expect(read['memory']).toEqual({ __typename: type, kind: kind.toUpperCase(), ...expected })

      const changed = await suite.client.data(
        `mutation ($id: ID!) {
          revise(id: $id, input: { importance: 9 }) { ... on Revised { memory { version importance } } }
          forget(id: $id) { ... on Forgotten { memory { version forgottenAt } } }
          restore(id: $id) { ... on Restored { memory { version forgottenAt importance } } }
        }`,
        { id: memory.id },
      )
      expect(changed['revise'].memory).toEqual({ version: 2, importance: 9 })
      expect(changed['forget'].memory.forgottenAt).not.toBeNull()
      expect(changed['restore'].memory).toEqual({ version: 4, forgottenAt: null, importance: 9 })
    }
  })

  test('a memory is found under both spellings of its id, an unknown one is null (capability 22)', async () => {
    const { memory, sequence } = await remember(NOTE('hello'))
    const plain = memory.id.split(':')[1]
    await suite.client.data('query ($s: Int!) { search(query: "x", atLeast: $s) { sequence } }', {
      s: sequence,
    })
    const answer = await suite.client.data(
      `query ($id: ID!, $plain: ID!, $wrong: ID!) {
        both: memory(id: $id) { id }
        plain: memory(id: $plain) { id }
        node(id: $id) { id }
        wrongKind: memory(id: $wrong) { id }
        unknown: memory(id: "note:0192f0c1-0000-7000-8000-000000000000") { id }
        nonsense: memory(id: "what?") { id }
      }`,
      { id: memory.id, plain, wrong: `todo:${plain}` },
    )
    expect(answer).toEqual({
      both: { id: memory.id },
      plain: { id: memory.id },
      node: { id: memory.id },
      wrongKind: null,
      unknown: null,
      nonsense: null,
    })
  })

  test('a memory is findable by its words directly after remember with atLeast', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { sequence, memory } = await remember(NOTE(`zebra number${round}`))
      const { search } = await suite.client.data(
        'query ($q: String!, $s: Int!) { search(query: $q, mode: KEYWORD, atLeast: $s) { sequence hits { memory { id } } } }',
        { q: `number${round}`, s: sequence },
      )
      expect(search.sequence).toBeGreaterThanOrEqual(sequence)
      expect(search.hits).toEqual([{ memory: { id: memory.id } }])
    }
  })

  test('a search is ranked as it asks for, and its hits say how', async () => {
    await remember(NOTE('the harbour in winter', { context: 'walk' }))
    const { sequence } = await remember(NOTE('the harbour in summer', { context: 'walk' }))
    const answer = await suite.client.data(
      `query ($s: Int!) {
        usual: search(query: "harbour summer", atLeast: $s) { ...how }
        rrf: search(query: "harbour summer", ranking: RRF, atLeast: $s) { ...how }
        weighed: search(query: "harbour summer", weights: { lexical: 1, vector: 0, neighbour: 0.5 }, atLeast: $s) { ...how }
        alone: search(query: "harbour summer", weights: { lexical: null, neighbour: 0, session: 0 }, atLeast: $s) { ...how }
      }
      fragment how on SearchResult {
        hits {
          score
          explanation { method ownScore scale score missingNeighbours session { contribution } retrievers { retriever weight contribution } neighbours { contribution } }
        }
      }`,
      { s: sequence },
    )
    for (const { hits } of Object.values(answer) as { hits: Hit[] }[]) {
      expect(hits).toHaveLength(2)
      for (const { score, explanation } of hits) {
        const { retrievers, neighbours, missingNeighbours, session, ownScore, scale } = explanation
        expect(total(retrievers)).toBeCloseTo(ownScore, 9)
        const context = total(neighbours) + missingNeighbours + (session?.contribution ?? 0)
        expect(scale * (ownScore + context)).toBeCloseTo(score, 9)
      }
    }
    const firstOf = (name: string) => answer[name].hits[0].explanation
    const weights = (name: string) =>
      Object.fromEntries(
        (answer[name].hits[0] as Hit).explanation.retrievers.map(({ retriever, weight }) => [
          retriever,
          weight,
        ]),
      )
    expect(firstOf('usual')).toMatchObject({ method: 'DEFAULT', neighbours: [{}], session: {} })
    expect(weights('usual')).toMatchObject({ LEXICAL: 0.6 })
    expect(firstOf('rrf')).toMatchObject({ method: 'RRF', scale: 1, neighbours: [] })
    expect(weights('rrf')).toMatchObject({ LEXICAL: 0.5 })
    expect(weights('weighed')).toMatchObject({ LEXICAL: 1 })
    expect(firstOf('weighed').scale).toBeCloseTo(1 / 2.7, 9)
    expect(firstOf('alone')).toMatchObject({ scale: 1, neighbours: [], session: null })
    expect(weights('alone')).toMatchObject({ LEXICAL: 0.6 })
  })

  test('recall and pop match exactly, then by search, and else name recent keys (capability 4)', async () => {
    await remember({
      input: { content: { insight: { key: 'jwt-validation', content: 'Always check the expiry' } } },
    })
    const { sequence } = await remember({
      input: { content: { stash: { name: 'auth-flow', summary: 'login with tokens' } } },
    })
    await suite.client.data('query ($s: Int!) { search(query: "x", atLeast: $s) { sequence } }', {
      s: sequence,
    })
    const answer = await suite.client.data(`{
      exact: recall(key: "jwt-validation") { matchType hits { matchType score memory { title } } }
      found: pop(name: "login tokens") { matchType hits { memory { title } } }
      none: recall(key: "unheardof") { matchType message hits { score } }
    }`)
    expect(answer['exact']).toEqual({
      matchType: 'EXACT',
      hits: [{ matchType: 'EXACT', score: 1, memory: { title: 'jwt-validation' } }],
    })
    expect(answer['found'].matchType).toBe('SEMANTIC')
    expect(answer['found'].hits[0].memory.title).toBe('auth-flow')
    expect(answer['none'].hits).toEqual([])
    expect(answer['none'].message).toContain('jwt-validation')
  })

  test('rememberMany commits what is right and says of each that is wrong what and where', async () => {
    const { rememberMany } = await suite.client.data(
      `mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) {
        __typename ... on Remembered { sequence } ... on ValidationError { field message } } }`,
      {
        inputs: [
          NOTE('one').input,
          NOTE(' ').input,
          NOTE('three', { importance: 11 }).input,
          NOTE('four').input,
        ],
      },
    )
    expect(rememberMany).toEqual([
      { __typename: 'Remembered', sequence: 1 },
      {
        __typename: 'ValidationError',
        field: 'inputs.1.content.note.text',
        message: expect.stringContaining('blank'),
      },
      {
        __typename: 'ValidationError',
        field: 'inputs.2.importance',
        message: expect.stringContaining('0 to 10'),
      },
      { __typename: 'Remembered', sequence: 2 },
    ])
  })

  test('an idempotency key gives the first result again, and refuses another request', async () => {
    const first = await remember(NOTE('once', { idempotencyKey: 'key' }))
    const again = await remember(NOTE('once', { idempotencyKey: 'key' }))
    const other = await remember(NOTE('twice', { idempotencyKey: 'key' }))
    expect(first.duplicate).toBe(false)
    expect(again).toEqual({ ...first, duplicate: true })
    expect(other).toMatchObject({
      __typename: 'ConflictError',
      code: 'IDEMPOTENCY_CONFLICT',
      currentVersion: 1,
    })
    expect((await suite.client.data('{ journal { sequence } }'))['journal']).toHaveLength(1)
  })

  test('a stale expectedVersion is refused with the version that the memory is at', async () => {
    const { memory } = await remember(NOTE('a'))
    const revise = (expectedVersion: number) =>
      suite.client.data(
        `mutation ($id: ID!, $v: Int!) { revise(id: $id, expectedVersion: $v, input: { labels: ["v${expectedVersion}"] }) {
          __typename ... on ConflictError { code currentVersion } } }`,
        { id: memory.id, v: expectedVersion },
      )
    await revise(1)
    expect((await revise(1))['revise']).toEqual({
      __typename: 'ConflictError',
      code: 'VERSION_CONFLICT',
      currentVersion: 2,
    })
  })

  test('the history and the journal tell what happened, page by page', async () => {
    const { memory } = await remember(NOTE('first'))
    for (const text of ['second', 'third'])
      await suite.client.data(
        'mutation ($id: ID!, $t: String!) { revise(id: $id, input: { content: { note: { text: $t } } }) { __typename } }',
        { id: memory.id, t: text },
      )
    const page = async (after: string | null) =>
      (
        await suite.client.data(
          `query ($id: ID!, $after: String) { memory(id: $id, atLeast: 3) { history(first: 2, after: $after) {
            edges { node { type version changed memory { text } } } pageInfo { hasNextPage endCursor } } } }`,
          { id: memory.id, after },
        )
      )['memory'].history
    const first = await page(null)
    expect(first.edges.map((edge: { node: { memory: { text: string } } }) => edge.node.memory.text)).toEqual([
      'first',
      'second',
    ])
    expect(first.pageInfo.hasNextPage).toBe(true)
    const second = await page(first.pageInfo.endCursor)
    expect(second.edges).toEqual([
      { node: { type: 'MemoryRevised', version: 3, changed: ['content.text'], memory: { text: 'third' } } },
    ])
    expect(second.pageInfo.hasNextPage).toBe(false)
    const { journal } = await suite.client.data(
      '{ journal(after: 1, first: 1) { sequence type correlationId } }',
    )
    expect(journal).toEqual([{ sequence: 2, type: 'MemoryRevised', correlationId: expect.any(String) }])
  })

  test('searching and reading count as access (capability 23)', async () => {
    const { memory, sequence } = await remember(NOTE('platypus'))
    await suite.client.data(
      'query ($s: Int!) { search(query: "platypus", mode: KEYWORD, atLeast: $s) { sequence } }',
      { s: sequence },
    )
    await suite.client.data('query ($id: ID!) { memory(id: $id) { id } }', { id: memory.id })
    await expect
      .poll(
        async () =>
          (await suite.client.data('{ memories { edges { node { accessCount accessedAt } } } }'))['memories']
            .edges[0].node,
      )
      .toMatchObject({ accessCount: 2, accessedAt: expect.any(String) })
  })

  test('what hits say is selected in one way, whatever their kind', async () => {
    const inputs = [
      { fact: { summary: 'a kingfisher' } },
      { insight: { key: 'birds', content: 'the kingfisher dives' } },
      { fact: { summary: 'the kingfisher', content: 'it is blue' } },
      { todo: { description: 'watch the kingfisher', context: 'at the river' } },
    ]
    let last = 0
    for (const content of inputs) last = (await remember({ input: { content } })).sequence
    const { search } = await suite.client.data(
      `query ($s: Int!) { search(query: "kingfisher", mode: KEYWORD, atLeast: $s) { hits { memory {
        content ... on Insight { key content } ... on Fact { summary content } } } } }`,
      { s: last },
    )
    const contents = search.hits.map(({ memory }: { memory: { content: string | null } }) => memory.content)
    expect(new Set(contents)).toEqual(
      new Set([null, 'the kingfisher dives', 'it is blue', 'watch the kingfisher']),
    )
  })

  test('memories are listed newest first, filtered, page by page', async () => {
    const texts = ['a', 'b', 'c', 'd']
    for (const text of texts) await remember(NOTE(text, { labels: text === 'c' ? [] : ['kept'] }))
    const list = async (after: string | null) =>
      (
        await suite.client.data(
          `query ($after: String) { memories(first: 2, after: $after, filter: { kinds: [NOTE], labelsAny: ["kept"] }) {
            edges { node { text } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
          { after },
        )
      )['memories']
    await suite.client.data('{ search(query: "a", atLeast: 4) { sequence } }')
    const first = await list(null)
    const second = await list(first.pageInfo.endCursor)
    const textsOf = (page: { edges: { node: { text: string } }[] }) =>
      page.edges.map((edge) => edge.node.text)
    expect([textsOf(first), textsOf(second)]).toEqual([['d', 'b'], ['a']])
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
    expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
    expect(await list(second.pageInfo.endCursor)).toEqual({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
    })
  })
})
