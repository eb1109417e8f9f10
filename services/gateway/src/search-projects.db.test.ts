import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { appendCommands } from '@daybook/journal/testing/append-commands'
import { newId } from '@daybook/memory/id'
import { ensureProject } from '@daybook/postgres/access/projects'
import { projectScope } from '@daybook/postgres/project-scope'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { silentLogger } from '@daybook/runtime/logger'
import { createMetrics } from '@daybook/runtime/metrics'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { REMEMBER, type Reply, type TestClient, testClient, useTestGateway } from './testing/test-gateway.ts'

const SEARCH = `query ($projects: [String!], $query: String!, $limit: Int, $atLeast: Int, $mode: SearchMode) {
  search(projects: $projects, query: $query, limit: $limit, atLeast: $atLeast, mode: $mode) {
    matchType engine degraded message sequence text
    searched { project { name } hits sequence engine degraded }
    facets { memories labels { value count } }
    hits {
      score matchType project { id name memories }
      memory {
        id title accessCount supersedes { title } supersededBy { title }
        history { edges { node { changed actor memory { title supersedes { title } } } } }
        part { number document { title } parts { title } }
      }
    }
  }
}`

describe.each(SERVICE_DATABASES)('a search over several projects on $name', ({ start }) => {
  const suite = useTestGateway(start)
  let admin: TestClient
  /** Three projects; the key of `client` may use the first two. */
  let projects: { readonly id: string; readonly name: string; readonly client: TestClient }[]
  let client: TestClient
  beforeAll(async () => {
    admin = await suite.running.newClient(true)
  })
  beforeEach(async () => {
    projects = await Promise.all(
      ['a', 'b', 'c'].map(async (letter) => {
        const name = `${letter} ${newId()}`
        const id = await ensureProject(suite.database.db, name)
        return { id, name, client: testClient(admin.url, await keyOf([id]), id) }
      }),
    )
    client = testClient(admin.url, await keyOf([at(0).id, at(1).id]), at(0).id)
  })

  const at = (index: number) => projects[index] as (typeof projects)[number]
  const keyOf = async (of: readonly string[], scopes = ['READ', 'WRITE']): Promise<string> => {
    const { createKey } = await admin.data(
      'mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { key } } }',
      { input: { name: `of ${of.length}`, projects: of, scopes } },
    )
    return createKey.key
  }
  const remember = async (by: TestClient, text: string, more: object = {}) => {
    const { remember: made } = await by.data(REMEMBER, { input: { content: { note: { text } }, ...more } })
    return made as { readonly sequence: number; readonly memory: { readonly id: string } }
  }
  const search = async (given: object = {}, by = client) => {
    const names = projects.slice(0, 2).map(({ name }) => name)
    return (await by.data(SEARCH, { projects: names, query: 'giraffe', mode: 'KEYWORD', ...given })).search
  }
  const until = async (by: TestClient, sequence: number) =>
    void (await by.data(SEARCH, { query: 'giraffe', atLeast: sequence }))
  const errorOf = ({ body }: Reply) => body.errors?.[0]

  it('finds the best of all, and each hit says its project', async () => {
    const [one, other] = [
      await remember(at(0).client, 'a giraffe'),
      await remember(at(1).client, 'giraffe giraffe'),
    ]
    await until(at(0).client, one.sequence)
    await until(at(1).client, other.sequence)
    await remember(at(2).client, 'a giraffe of nobody')
    const found = await search()
    expect(found.hits).toHaveLength(2)
    for (const hit of found.hits) {
      const own = hit.memory.id === one.memory.id ? at(0) : at(1)
      expect(hit.project).toEqual({ id: own.id, name: own.name, memories: 1 })
    }
    const scores = found.hits.map(({ score }: { score: number }) => score)
    expect(scores).toEqual(scores.toSorted((first: number, second: number) => second - first))
    expect(found.searched).toMatchObject([
      { project: { name: at(0).name }, hits: 1, sequence: 1 },
      { project: { name: at(1).name }, hits: 1, sequence: 1 },
    ])
    expect(found.text).toContain(`project ${at(1).name}`)
    // By id as well, each project once, and no more hits than asked for.
    const byId = await search({ projects: [at(1).id, at(1).name, at(0).id], limit: 1 })
    expect([byId.hits.length, byId.searched.length, byId.facets.memories]).toEqual([1, 2, 2])
  })

  it('says what each leaves out, once, and not that another finds nothing', async () => {
    const { sequence } = await remember(at(0).client, 'a giraffe')
    await until(at(0).client, sequence)
    const { hits, message } = await search({ query: 'giraffe -zoo' })
    expect(hits).toHaveLength(1)
    expect(message).toBe('What has "zoo" is left out, as the query says.')
    expect((await search({ query: 'zebra' })).message).toMatch(/^Nothing matches "zebra"\.[^"]*$/u)
  })

  it('resolves what stands below a hit in the hit’s project, also where ids are the same', async () => {
    const [shared, document] = [newId(), newId()]
    for (const [index, word] of ['first', 'second'].entries()) {
      const scope = projectScope(suite.database.db, at(index).id)
      const note = (text: string) => ({ kind: 'note' as const, fields: { text } })
      const writer = createJournalWriter(async () => {}, createMetrics({ service: 'test' }), silentLogger)
      await appendCommands(writer, scope, [
        { type: 'remember', id: document, input: { content: note(`replaced in the ${word}`) } },
        {
          type: 'remember',
          id: shared,
          input: { content: note(`giraffe in the ${word}`), supersedes: document },
        },
        {
          type: 'remember',
          id: newId(),
          input: { content: note(`newer in the ${word}`), supersedes: shared },
        },
      ])
      const { sequence } = await remember(at(index).client, 'the projector hears of this one')
      await until(at(index).client, sequence)
    }
    // More than one alias, and the same field outside of the hits.
    const { hits } = await search()
    expect(hits).toHaveLength(2)
    for (const { project, memory } of hits) {
      const word = project.id === at(0).id ? 'first' : 'second'
      expect(memory).toMatchObject({
        title: `giraffe in the ${word}`,
        supersedes: { title: `replaced in the ${word}` },
        supersededBy: { title: `newer in the ${word}` },
      })
      expect(memory.history.edges).toEqual([
        {
          node: expect.objectContaining({
            memory: {
              title: `giraffe in the ${word}`,
              supersedes: { title: `replaced in the ${word}` },
            },
          }),
        },
      ])
    }
    const both = await client.data(
      `query ($one: [String!], $other: [String!]) {
        one: search(projects: $one, query: "giraffe", mode: KEYWORD) { hits { memory { supersedes { title } } } }
        other: search(projects: $other, query: "giraffe", mode: KEYWORD) { hits { memory { supersedes { title } } } }
      }`,
      { one: [at(0).id], other: [at(1).id] },
    )
    expect(both).toEqual({
      one: { hits: [{ memory: { supersedes: { title: 'replaced in the first' } } }] },
      other: { hits: [{ memory: { supersedes: { title: 'replaced in the second' } } }] },
    })
  })

  it('resolves the parts of long documents, and counts reads, in the hit’s project', async () => {
    const content = `giraffe ${'and so on. '.repeat(9_000)}`
    for (const { client: own } of projects.slice(0, 2)) {
      const { indexDocument } = await own.data(
        'mutation ($content: String!) { indexDocument(id: "long", content: $content) { ... on Remembered { sequence } } }',
        { content },
      )
      await until(own, indexDocument.sequence)
    }
    const { hits } = await search()
    expect(hits).toHaveLength(2)
    for (const { memory } of hits) expect(memory.part.parts).toHaveLength(2)
    await expect
      .poll(async () =>
        (await search()).hits.map((hit: { memory: { accessCount: number } }) => hit.memory.accessCount > 0),
      )
      .toEqual([true, true])
  })

  it('refuses projects that the key may not use, in the words for those that do not exist', async () => {
    const missing = `c ${newId()}`
    const refused = async (project: string, by = client) => {
      const error = errorOf(await by.send(SEARCH, { projects: [at(0).name, project], query: 'giraffe' }))
      return { code: error?.extensions?.['code'], message: error?.message.replaceAll(project, '…') }
    }
    const none = await refused(missing)
    expect(none.code).toBe('NOT_FOUND')
    expect(await refused(at(2).name)).toEqual(none)
    expect(await refused(at(2).id)).toEqual(await refused(newId()))
    // A key of one project may not reach another one by naming it here.
    expect(await refused(at(1).name, at(0).client)).toEqual(none)
    expect((await search({ projects: [at(0).name] }, at(0).client)).searched).toHaveLength(1)
    const writer = testClient(admin.url, await keyOf([at(0).id, at(1).id], ['WRITE']), at(0).id)
    expect(
      errorOf(await writer.send(SEARCH, { projects: [at(0).id], query: 'x' }))?.extensions?.['code'],
    ).toBe('FORBIDDEN')
  })

  it('without projects it is about the project of the request, as before', async () => {
    const { sequence } = await remember(at(0).client, 'a giraffe')
    const { search: found } = await at(0).client.data(SEARCH, { query: 'giraffe', atLeast: sequence })
    expect(found.hits).toMatchObject([{ project: { id: at(0).id } }])
    expect(found.searched).toMatchObject([{ project: { name: at(0).name }, hits: 1, sequence }])
    const { extensions } = errorOf(await client.send(SEARCH, { query: 'giraffe' })) ?? {}
    expect(extensions).toMatchObject({ code: 'VALIDATION', field: 'X-Daybook-Project' })
  })

  it('has limits, and costs as much as a search of each', async () => {
    const errors = async (variables: object) =>
      errorOf(await client.send(SEARCH, { query: 'giraffe', ...variables }))
    const own = projects.slice(0, 2).map(({ id }) => id)
    expect((await errors({ projects: [] }))?.extensions).toMatchObject({
      code: 'VALIDATION',
      field: 'projects',
    })
    expect((await errors({ projects: Array.from({ length: 9 }, () => own[0]) }))?.message).toMatch(/1 to 8/u)
    expect((await errors({ projects: own, atLeast: 1 }))?.extensions).toMatchObject({ field: 'atLeast' })
    const twice = `query ($projects: [String!]) {
      one: search(projects: $projects, query: "x") { engine } two: search(projects: $projects, query: "x") { engine } }`
    const eight = Array.from({ length: 8 }, () => own[0])
    expect(errorOf(await client.send(twice, { projects: eight }))?.extensions).toMatchObject({
      code: 'QUERY_TOO_COSTLY',
    })
    expect(errorOf(await client.send(twice, { projects: own }))).toBeUndefined()
  })

  it('withholds in each project what is in quarantine there', async () => {
    await remember(at(0).client, 'a giraffe', { agent: 'poisoned' })
    const { sequence } = await remember(at(1).client, 'a giraffe', { agent: 'poisoned' })
    await until(at(1).client, sequence)
    const found = async () =>
      (await search()).hits.map(({ project }: { project: { name: string } }) => project.name)
    await expect.poll(found).toHaveLength(2)
    const operator = testClient(admin.url, await keyOf([at(1).id], ['READ', 'WRITE', 'ADMIN']), at(1).id)
    await operator.data(
      'mutation { quarantineWriter(agent: "poisoned", reason: "it lies") { ... on DaybookError { message } } }',
    )
    expect(await found()).toEqual([at(0).name])
  })

  it('counts as a request of each project', async () => {
    await admin.data(
      'mutation ($id: ID!) { setProjectLimits(id: $id, limits: { requestsPerSecond: 1 }) { __typename } }',
      { id: at(1).id },
    )
    const replies = await Promise.all(
      Array.from({ length: 4 }, () =>
        client.send(SEARCH, { projects: [at(0).id, at(1).id], query: 'giraffe' }),
      ),
    )
    const codes = replies.map((reply) => errorOf(reply)?.extensions?.['code'])
    expect(codes).toContain('LIMIT_EXCEEDED')
  })

  it('has the memories of a kind first, the newest of all projects first', async () => {
    const todo = (by: TestClient, description: string) =>
      by.data(REMEMBER, { input: { content: { todo: { description } } } })
    for (const [index, text] of [
      [0, 'oldest'],
      [1, 'middle'],
      [0, 'newest'],
    ] as const)
      await todo(at(index).client, text)
    await expect
      .poll(async () => {
        const { hits } = await search({ query: 'open todos', mode: 'HYBRID' })
        return hits.map(({ memory }: { memory: { title: string } }) => memory.title)
      })
      .toEqual(['newest', 'middle', 'oldest'])
  })
})
