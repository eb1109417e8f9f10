import { setTimeout as pause } from 'node:timers/promises'
import { textOf as graphqlText } from '@daybook/api/graphql'
import { PROMPTS } from '@daybook/mcp/prompts/index'
import { createReceipts } from '@daybook/mcp/receipts'
import { TOOLS } from '@daybook/mcp/tools/index'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { connectMcp, REVISIONS, withNulls } from '../testing/mcp-client.ts'
import { type CallTool, callExamples, prepareExamples } from '../testing/mcp-examples.ts'
import { useTestGateway } from '../testing/test-gateway.ts'

// oxlint-disable-next-line no-explicit-any -- the shape of an answer is what the tests assert
type Any = any

const textOf = (result: Any): string => result.content[0].text

// On one database: the tools ask the API, whose own suites run on each.
describe.each(TEST_DATABASES.slice(-1))('MCP over HTTP on $name', ({ start }) => {
  const suite = useTestGateway(start)
  const connect = (options: Parameters<typeof connectMcp>[2] = {}) =>
    connectMcp(suite.client.url, suite.client.key, options)
  const call = (client: Client, name: string, args: object) =>
    client.callTool({ name, arguments: args as Record<string, unknown> }) as Promise<Any>

  describe.each(REVISIONS)('in the revision $revision', ({ mode }) => {
    it('runs the example of every tool, with structured content and text', async () => {
      const admin = await suite.running.newClient(true)
      const client = await connectMcp(admin.url, admin.key, { mode })
      const asked: CallTool = (name, given) => call(client, name, given)
      const world = await prepareExamples(asked)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
      // Backfilling is a reindex service's work, which does not run here: `test/src/mcp` calls it.
      const here = TOOLS.filter(({ name }) => name !== 'backfill_embeddings')
      expect(await callExamples(asked, world, here)).toEqual([])
      await client.close()
    })

    it('finds what was just remembered, and names its agent', async () => {
      const client = await connect({ mode, name: 'claude-code' })
      await call(client, 'remember', {
        memories: [{ kind: 'decision', fields: { topic: 'packages', decision: 'We use pnpm' } }],
      })
      const found = await call(client, 'search', { query: 'pnpm' })
      expect(found.structuredContent.hits[0]).toMatchObject({
        kind: 'DECISION',
        text: 'packages\nWe use pnpm',
      })
      // A title that only repeats the text's beginning is not said again, neither as data nor as text.
      expect(found.structuredContent.hits[0].title).toBeUndefined()
      expect(found.content[0].text.match(/We use pnpm/gu)).toHaveLength(1)
      // Over HTTP, clients of 2025 say their name in a handshake that nobody remembers.
      expect(found.structuredContent.hits[0].agent).toBe(mode === 'legacy' ? undefined : 'claude-code')
      await client.close()
    })

    it('is told that the same text is there already', async () => {
      const client = await connect({ mode })
      const memories = [{ kind: 'note', fields: { text: `The lighthouse is green, says ${mode}` } }]
      const first = await call(client, 'remember', { memories })
      const { id } = first.structuredContent.results[0]
      // The session has read its own write by then.
      await call(client, 'search', { query: 'lighthouse' })
      const again = await call(client, 'remember', { memories })
      const plain = id.slice('note:'.length)
      expect(again.structuredContent.results[0].sameText).toEqual([plain])
      expect(again.content[0].text).toContain(`the same is there already: ${plain}`)
      await client.close()
    })

    it('reads resources and prompts', async () => {
      const client = await connect({ mode })
      const { structuredContent } = await call(client, 'remember', {
        memories: [
          { kind: 'todo', fields: { description: 'Water the plants' } },
          { kind: 'session', fields: { summary: 'Moving house', status: 'active' } },
        ],
      })
      const [{ id }] = structuredContent.results
      const { resources } = await client.listResources()
      expect(resources.map(({ uri }) => uri)).toEqual([
        'daybook://recent',
        'daybook://todos/open',
        'daybook://session/active',
      ])
      await expect
        .poll(
          async () => ((await client.readResource({ uri: 'daybook://todos/open' })) as Any).contents[0].text,
        )
        .toContain('  Water the plants')
      const read = (await client.readResource({ uri: `daybook://memory/${id}` })) as Any
      expect(read.contents[0].text).toContain('  Water the plants')
      for (const uri of ['daybook://memory/note:nothing', 'daybook://memory/%E0%A4%A', 'daybook://nothing'])
        await expect(client.readResource({ uri })).rejects.toThrow(/not found/iu)
      const prompt = (await client.getPrompt({ name: 'begin_session', arguments: { task: 'moving' } })) as Any
      expect(prompt.messages[0].content.text).toContain('Moving house')
      expect(((await client.getPrompt({ name: 'end_session' })) as Any).messages[0].content.text).toContain(
        'Water the plants',
      )
      await client.close()
    })

    it('says what is wrong and what to do, as the result of the tool', async () => {
      const client = await connect({ mode })
      const missing = await call(client, 'remember', {
        memories: [
          { kind: 'note', fields: {} },
          { kind: 'note', fields: { text: 'kept' } },
        ],
      })
      expect(missing.isError).toBe(true)
      expect(textOf(missing)).toContain('VALIDATION')
      expect(textOf(missing)).toContain('text')
      const empty = await call(client, 'search', { query: '  ' })
      expect(empty.isError).toBe(true)
      expect(textOf(empty)).toContain('query')
      const unknown = await call(client, 'history', { id: 'note:0192f0c1-0000-7000-8000-000000000000' })
      expect(textOf(unknown)).toContain('search finds ids')
      expect((await call(client, 'search', { query: 'x', limit: 1_000 })).isError).toBe(true)
      const tooLong = client.getPrompt({ name: 'begin_session', arguments: { task: 'x '.repeat(40_000) } })
      await expect(tooLong).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining('query'),
      })
      const forbidden = await call(client, 'backfill_embeddings', {})
      expect(textOf(forbidden)).toContain('FORBIDDEN')
      await client.close()
    })
  })

  it('shows the core tools unless others are chosen', async () => {
    const client = await connect({ toolsets: null })
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toContain('remember')
    expect(names).not.toContain('get_all_friends')
    await client.close()
    await expect(connect({ toolsets: 'core,nothing', mode: 'legacy' })).rejects.toThrow(/toolset/u)
  })

  it('takes what can be kept of a client’s name', async () => {
    const client = await connect({ name: `a\u0000b\ud800\n${'x'.repeat(300)}` })
    await call(client, 'remember', { memories: [{ kind: 'note', fields: { text: 'who said that' } }] })
    const { hits } = (await call(client, 'search', { query: 'who said that' })).structuredContent
    expect(hits[0].agent).toMatch(/^ab.? ?x{2}/u)
    await client.close()
  })

  it('tells a session in a new folder what is known elsewhere, and goes on with the likeliest context', async () => {
    const client = await suite.running.newClient(true)
    const begin = PROMPTS.find(({ name }) => name === 'begin_session')
    const message = (context: string) =>
      begin?.message('', {
        agent: null,
        context,
        receipts: createReceipts(),
        newKey: () => 'key',
        ask: async (document, variables) =>
          (await client.data(graphqlText(document), variables as object)) as never,
      })
    expect(await message('shop')).not.toContain('elsewhere')
    for (const [description, context] of [
      ['Paint the fence', 'acme/shop'],
      ['Feed the bees', 'garden'],
    ])
      await client.data(
        'mutation ($input: RememberInput!) { remember(input: $input) { __typename ... on DaybookError { message } } }',
        { input: { content: { todo: { description } }, context } },
      )
    await expect
      .poll(() => message('shop'))
      .toContain('2 memories elsewhere, in "acme/shop" (1), "garden" (1)')
    expect(await message('shop')).toContain('Paint the fence')
    expect(await message('shop')).not.toContain('Feed the bees')
    expect(await message('boat')).toContain('Feed the bees')
    expect(await message('garden')).not.toContain('elsewhere')
  })

  it('is told of changes, while it listens', async () => {
    const client = await connect()
    const told: string[] = []
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void told.push(params.uri),
    )
    const listening = await client.listen({
      resourceSubscriptions: ['daybook://todos/open'],
    } as Any)
    await expect
      .poll(async () => {
        await call(client, 'remember', { memories: [{ kind: 'todo', fields: { description: 'Something' } }] })
        await pause(50)
        return told
      })
      .toContain('daybook://todos/open')
    expect(new Set(told)).toEqual(new Set(['daybook://todos/open']))
    await listening.close()
    await client.close()
  })

  it('takes null for params and arguments as none given', async () => {
    const client = await connect({
      mode: 'legacy',
      fetch: (url, init) =>
        fetch(url, {
          ...init,
          ...(init?.method === 'POST' && {
            body: JSON.stringify(withNulls(JSON.parse(String(init.body)))),
          }),
        }),
    })
    expect((await client.listTools()).tools).not.toEqual([])
    expect((await call(client, 'list_labels', {})).structuredContent).toBeDefined()
    await client.close()
  })

  it('says of a body that is no JSON that it cannot be parsed', async () => {
    const { url, key } = suite.client
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: '{"jsonrpc": "2.0", ',
    })
    expect(await answer.json()).toMatchObject({ error: { code: -32_700 } })
  })

  it('refuses a wrong key before anything else', async () => {
    await expect(connectMcp(suite.client.url, 'wrong', { mode: 'legacy' })).rejects.toThrow(/401|key/iu)
  })
})
