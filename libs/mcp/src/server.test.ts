import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { encode } from 'gpt-tokenizer'
import { expect, test } from 'vitest'
import { createReceipts } from './receipts.ts'
import { createMcpServer } from './server.ts'
import { ApiError } from './session.ts'
import { TOOLS } from './tools/index.ts'
import { TOOLSETS, type Toolset } from './toolsets.ts'

/** The most tokens of what a model reads of a list of tools: names, descriptions and arguments. */
const [ALL, CORE] = [3_500, 2_500]

async function connected(toolsets: readonly Toolset[]) {
  const server = createMcpServer({
    daybook: {
      ask: () =>
        Promise.reject(new ApiError('VALIDATION', `${'x'.repeat(70_000)} is no id`, { retryable: true })),
    },
    receipts: createReceipts(),
    context: 'shop',
    toolsets,
    subscribable: true,
    onError: () => {},
  })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1' })
  await Promise.all([server.connect(ours), client.connect(theirs as never)])
  return client
}

async function listed(toolsets: readonly Toolset[]) {
  const client = await connected(toolsets)
  const { tools } = await client.listTools()
  await client.close()
  const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return { tools, tokens: encode(JSON.stringify(read)).length }
}

test('a model reads less than 3,500 tokens of the list of all tools', async () => {
  const { tools, tokens } = await listed(TOOLSETS)
  expect(tools).toHaveLength(TOOLS.length)
  expect(tokens).toBeLessThan(ALL)
})

test('a model reads less than 2,500 tokens of the list of the core tools', async () => {
  expect((await listed(['core'])).tokens).toBeLessThan(CORE)
})

test('every tool says what it is called, what it does and what it changes', async () => {
  const { tools } = await listed(TOOLSETS)
  for (const { name, title, description, annotations, outputSchema } of tools) {
    expect(title, name).toBeTruthy()
    expect(description?.length, name).toBeGreaterThan(10)
    expect(outputSchema, name).toBeDefined()
    expect(annotations, name).toMatchObject({ readOnlyHint: expect.any(Boolean), openWorldHint: false })
    if (annotations?.readOnlyHint !== true)
      expect(annotations, name).toMatchObject({
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
      })
  }
  expect(tools.find(({ name }) => name === 'forget')?.annotations).toMatchObject({
    readOnlyHint: false,
    destructiveHint: true,
  })
})

test('an error stays short enough to read, however long the arguments are', async () => {
  const client = await connected(['core'])
  const refused = async (name: string, args: Record<string, unknown>) => {
    const { isError, content } = await client.callTool({ name, arguments: args })
    expect(isError).toBe(true)
    return (content as { text: string }[])[0]?.text ?? ''
  }
  const issues = await refused('undo', {
    since: '2026-01-01T00:00:00Z',
    labelsAny: Array.from({ length: 20_000 }, () => 1),
  })
  expect(issues).toContain('labelsAny.0')
  expect(issues).toMatch(/and 19,?99\d more/u)
  expect(issues.length).toBeLessThan(1_000)
  const message = await refused('get', { ids: ['x'] })
  expect(message).toMatch(/^VALIDATION: x{1000}…\. Try again in a moment\.$/u)
  await client.close()
})
