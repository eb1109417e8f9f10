import { createClient, type DaybookClient, DaybookClientError } from '@daybook/client'
import { useTestGateway } from '@daybook/gateway/testing/test-gateway'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { beforeEach, describe, expect, test } from 'vitest'
import { all, failureOf } from './failure-of.ts'

describe.each(SERVICE_DATABASES)('the methods on $name', ({ start }) => {
  const suite = useTestGateway(start)
  let client: DaybookClient
  beforeEach(() => {
    const { url, key } = suite.client
    client = createClient({ url, apiKey: key, context: 'shop', agent: 'Kai', retryForMs: 0 })
  })
  const note = (text: string) => ({ content: { note: { text } } })

  test('a memory is remembered, revised, forgotten and restored, and its history says so', async () => {
    const made = await client.remember({ content: { insight: { key: 'deploys', content: 'On Mondays' } } })
    expect(made).toMatchObject({
      kind: 'INSIGHT',
      version: 1,
      sequence: 1,
      outcome: 'REMEMBERED',
      duplicate: false,
    })
    const { id } = made
    await client.revise(id, { content: { insight: { content: 'On Tuesdays' } }, context: null })
    expect(await client.memory(id)).toMatchObject({
      version: 2,
      agent: 'Kai',
      context: null,
      content: { insight: { key: 'deploys', content: 'On Tuesdays' } },
    })
    await client.forget(id, { expectedVersion: 2 })
    expect((await client.recall('deploys')).hits).toEqual([])
    await client.restore(id, { version: 1 })
    const [hit] = (await client.recall('deploys')).hits
    expect(hit?.memory).toMatchObject({
      id,
      context: 'shop',
      content: { insight: { content: 'On Mondays' } },
    })
    expect((await all(client.history(id))).map(({ type }) => type)).toEqual([
      'MemoryRemembered',
      'MemoryRevised',
      'MemoryForgotten',
      'MemoryRestored',
    ])
  })

  test('many are remembered at once, and one that is refused does not hinder the others', async () => {
    const results = await client.rememberMany([note('one'), note(' '), note('three')])
    expect(
      results.map((result) => (result instanceof DaybookClientError ? result.code : result.sequence)),
    ).toEqual([1, 'VALIDATION', 2])
    expect(results[1]).toMatchObject({ field: 'inputs.1.content.note.text' })
    expect((await all(client.memories({ pageSize: 1 }))).map(({ text }) => text)).toEqual(['three', 'one'])
  })

  test('searches, contexts, lists and counts find what was just written', async () => {
    await client.remember({ ...note('The giraffe sleeps standing'), labels: ['zoo'] })
    const found = await client.search('giraffe', { filter: { context: 'shop' } })
    expect(found).toMatchObject({ sequence: 1, hits: [{ memory: { text: 'The giraffe sleeps standing' } }] })
    expect(found.text).toContain('[NOTE] The giraffe sleeps standing')
    const packed = await client.contextFor('giraffe', { tokenBudget: 200 })
    expect(packed).toMatchObject({ tokenBudget: 200, entries: [{ memory: { kind: 'NOTE' } }] })
    // Its vector comes a moment later.
    const similar = async () => (await client.similar({ text: 'giraffe sleeps' })).hits
    await expect.poll(similar).toHaveLength(1)
    expect(await client.facets()).toMatchObject({ memories: 1, labels: [{ value: 'zoo', count: 1 }] })
  })

  test('what is looked up by a key of its kind', async () => {
    await client.rememberMany([
      { content: { stash: { name: 'login-bug', summary: 'half way' } } },
      { content: { decision: { topic: 'database', decision: 'Postgres' } } },
      { content: { entity: { name: 'Zoë', type: 'person' } } },
    ])
    await client.indexDocument({ id: 'docs/a.md', content: 'A text', title: 'A' })
    const ids = [
      await client.pop('login-bug'),
      await client.recallDecision('database'),
      await client.recallEntity('Zoë'),
      await client.recallDocument('docs/a.md'),
    ].map(({ hits }) => hits.map(({ memory }) => `${memory.kind} ${memory.context}`))
    expect(ids).toEqual([['STASH shop'], ['DECISION shop'], ['ENTITY shop'], ['DOCUMENT shop']])
  })

  test('todos and sessions end', async () => {
    const todo = await client.remember({ content: { todo: { description: 'buy milk' } } })
    const session = await client.remember({ content: { session: { summary: 'shopping', status: 'ACTIVE' } } })
    expect(await all(client.openTodos())).toHaveLength(1)
    expect(await all(client.activeSessions())).toHaveLength(1)
    await client.resolveTodo(todo.id)
    await client.closeSession(session.id)
    expect(await all(client.openTodos())).toEqual([])
    expect(await all(client.activeSessions())).toEqual([])
    expect((await client.reopenTodo(todo.id)).version).toBe(3)
    expect(await all(client.openTodos({ filter: { context: 'shop' } }))).toHaveLength(1)
  })

  test('an undo only says what it would do unless it is told to do it', async () => {
    const since = new Date(Date.now() - 60_000).toISOString()
    const { id } = await client.remember(note('wrong'))
    expect(await client.undo({ since, filter: { agent: 'Kai' } })).toMatchObject({
      dryRun: true,
      operation: null,
      changes: [{ memoryId: id, action: 'FORGET' }],
    })
  })

  test('expected failures are typed errors, with what the API says of them', async () => {
    const { id } = await client.remember(note('one'))
    expect(await failureOf(client.revise(id, { labels: ['a'] }, { expectedVersion: 7 }))).toMatchObject({
      code: 'VERSION_CONFLICT',
      details: { currentVersion: 1 },
    })
    expect(await failureOf(client.remember(note(' ')))).toMatchObject({
      code: 'VALIDATION',
      field: 'content.note.text',
      retryable: false,
    })
    const unknown = 'note:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d'
    expect(await client.memory(unknown)).toBeNull()
    expect((await failureOf(client.forget(unknown))).code).toBe('NOT_FOUND')
    expect((await failureOf(all(client.history(unknown)))).code).toBe('NOT_FOUND')
  })
})
