import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { withNulls } from '@daybook/gateway/testing/mcp-client'
import { stopDaemon } from '@daybook/local-daemon/stop-daemon'
import { lockHolder } from '@daybook/runtime/exclusive-lock'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectStdio } from './stdio-client.ts'

/** `npm run test:mcp` runs 50; each is a process, and two cores start four a second. */
const CLIENTS = Number(process.env['DAYBOOK_MCP_CLIENTS'] ?? 4)

let dataDir: string
const clients: Client[] = []

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'daybook-mcp-'))
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await stopDaemon({ dataDir })
  rmSync(dataDir, { recursive: true, force: true })
})

/** How many daemons have served this folder so far. */
const daemonsSeen = (): number =>
  readFileSync(join(dataDir, 'daemon.log'), 'utf8').match(/Daybook is ready at/gu)?.length ?? 0

// oxlint-disable-next-line no-explicit-any -- the shape of an answer is what the test asserts
async function call(client: Client, name: string, args: Record<string, unknown>): Promise<any> {
  const result = await client.callTool({ name, arguments: args })
  if (result.isError === true) throw new Error(JSON.stringify(result.content))
  return result.structuredContent
}

/** Remembers a note that only this client writes, and finds it. @returns its id */
async function rememberAndFind(client: Client, word: string): Promise<string> {
  const { results } = await call(client, 'remember', { memories: [{ kind: 'note', fields: { text: word } }] })
  await expect
    .poll(async () => (await call(client, 'search', { query: word })).hits[0]?.id, { message: word })
    .toBe(results[0].id)
  return results[0].id
}

test(`${CLIENTS} clients that start at once share one daemon`, async () => {
  clients.push(
    ...(await Promise.all(
      Array.from({ length: CLIENTS }, (_, at) => connectStdio(dataDir, { name: `agent-${at}` })),
    )),
  )
  await Promise.all(clients.map((client, at) => rememberAndFind(client, `first${at}word`)))
  expect(daemonsSeen()).toBe(1)
})

test('they go on when it is killed: one new daemon, nothing lost, nothing doubled', async () => {
  const rounds = 5
  let killed = false
  const working = Promise.all(
    clients.map(async (client, at) => {
      for (let round = 0; round < rounds || !killed; round += 1)
        await rememberAndFind(client, `second${at}x${round}word`)
    }),
  )
  await pause(300)
  process.kill(Number(lockHolder(join(dataDir, 'daemon.lock')).pid), 'SIGKILL')
  killed = true
  await working
  expect(daemonsSeen()).toBe(2)
  const [first] = clients
  for (let at = 0; at < CLIENTS; at += 1) {
    const { hits } = await call(first as Client, 'search', {
      query: `second${at}x0word`,
      mode: 'KEYWORD',
    })
    expect(hits.filter(({ text }: { text: string }) => text === `second${at}x0word`)).toHaveLength(1)
  }
})

test('null for params and arguments counts as none given', async () => {
  const client = clients[0] as Client
  const transport = client.transport as NonNullable<Client['transport']>
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(withNulls(message) as typeof message, options)
  expect((await client.listTools()).tools).not.toEqual([])
  expect(await call(client, 'list_labels', {})).toBeDefined()
  transport.send = send
})
