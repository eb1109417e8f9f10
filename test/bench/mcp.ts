import { textOf } from '@daybook/api/graphql'
import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { connectMcp, REVISIONS } from '@daybook/gateway/testing/mcp-client'
import { SEARCH } from '@daybook/mcp/tools/search'
import { startAccessTracker } from '@daybook/pgvector/read/access'
import { silentLogger } from '@daybook/runtime/logger'
import { percentile } from '../src/support/percentile.ts'
import { type BenchOptions, printComparison } from './bench.ts'
import { type CorpusGateway, startCorpusGateway } from './corpus-gateway.ts'
import { onEachDatabase } from './databases.ts'
import { questions } from './generated-texts.ts'
import { buildSearchCorpus, type SearchCorpus } from './search-corpus.ts'

/**
 * What the protocol adds to a search: the tool `search` over HTTP, against the query that it asks, over GraphQL. Each request of
 * MCP is what the SDK's client sends, with another question, so that both sides have the same client.
 */
export const name = 'mcp'
export const description =
  'the tool search over MCP and HTTP, in both revisions, for 1 and 8 clients, against its query over GraphQL, in 2,000 memories'

/** The fewer memories, the less a search takes, and the more the protocol counts. */
const MEMORIES = 2_000
const QUERIES = 60
const TURN = 20
const ROUNDS = 4
const CLIENTS = [1, 8] as const
const MODES = ['HYBRID', 'KEYWORD'] as const
const GOAL = 1.2

/** A search over one of the ways. @throws if it was refused */
type Search = (query: string, mode: string) => Promise<void>

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  await onEachDatabase(async ({ address, name: where }) => {
    const corpus = await buildSearchCorpus(address, MEMORIES)
    await measure(corpus, rounds, where).finally(() => corpus.close())
  })
}

async function measure(corpus: SearchCorpus, rounds: number, where: string): Promise<void> {
  const embedder = await startMiniLm({ cacheDir: testCacheDir() })
  const access = startAccessTracker(corpus.db, silentLogger)
  const gateway = await startCorpusGateway(corpus, fixedEmbedders([embedder]), access)
  const ways = new Map<string, Search>([['GraphQL', overGraphQL(gateway)]])
  for (const { revision, mode } of REVISIONS) ways.set(revision, await overMcp(gateway, mode))

  for (const clients of CLIENTS)
    for (const mode of MODES) {
      const taken = new Map([...ways.keys()].map((way) => [way, { ms: [] as number[], cpuMs: 0 }]))
      const order = [...ways]
      for (let round = 0; round <= rounds; round += 1)
        for (const turn of turns()) {
          for (const [way, search] of order) {
            const { ms, cpuMs } = await timeAll(search, turn, { mode, clients })
            const sum = taken.get(way)
            // The first round fills caches, such as the vectors of the questions.
            if (round === 0 || sum === undefined) continue
            sum.ms.push(...ms)
            sum.cpuMs += cpuMs
          }
          order.push(order.shift() as (typeof order)[number])
        }
      for (const { revision } of REVISIONS)
        for (const [what, of] of MEASURES) {
          const value = (way: string) => of(taken.get(way) ?? { ms: [], cpuMs: 0 })
          printComparison({
            title: `${QUERIES * rounds} ${mode} searches, ${clients} at a time, ${what}, ${MEMORIES} memories, ${where}`,
            ours: { label: `MCP ${revision}`, value: `${value(revision).toFixed(2)} ms` },
            theirs: { label: 'GraphQL', value: `${value('GraphQL').toFixed(2)} ms` },
            ratio: value(revision) / value('GraphQL'),
            goal: { atMost: GOAL },
          })
        }
    }
  await gateway.stop()
  await access.stop()
  await embedder.close()
}

/** Searches of one way, in milliseconds: each by the clock, and all in processor time of this process, which has both sides. */
interface Taken {
  readonly ms: readonly number[]
  readonly cpuMs: number
}

/** Processor time is steady on a machine that does other work. Without the database's process it is the stricter ratio. */
const MEASURES: readonly (readonly [what: string, of: (taken: Taken) => number])[] = [
  ['p50', ({ ms }) => percentile(ms, 0.5)],
  ['p95', ({ ms }) => percentile(ms, 0.95)],
  ['processor time each', ({ ms, cpuMs }) => cpuMs / ms.length],
]

/** The questions in parts: the ways take turns often, so that whatever else the machine does meets all of them. */
function turns(): readonly (readonly string[])[] {
  const all = questions(QUERIES)
  return Array.from({ length: QUERIES / TURN }, (_, at) => all.slice(at * TURN, (at + 1) * TURN))
}

async function timeAll(
  search: Search,
  asked: readonly string[],
  { mode, clients }: { readonly mode: string; readonly clients: number },
): Promise<Taken> {
  const waiting = [...asked]
  const ms: number[] = []
  const client = async () => {
    for (let query = waiting.pop(); query !== undefined; query = waiting.pop()) {
      const started = performance.now()
      await search(query, mode)
      ms.push(performance.now() - started)
    }
  }
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: clients }, client))
  const { user, system } = process.cpuUsage(before)
  return { ms, cpuMs: (user + system) / 1_000 }
}

function overGraphQL({ at }: CorpusGateway): Search {
  const text = textOf(SEARCH as never)
  return async (query, mode) => {
    const response = await fetch(`${at.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${at.apiKey}` },
      body: JSON.stringify({ query: text, variables: { query, mode, limit: 10, minScore: 0, filter: {} } }),
    })
    expectAnswer(await response.text())
  }
}

/** The request that the SDK's client sends, with another question each time. */
async function overMcp({ at }: CorpusGateway, mode: (typeof REVISIONS)[number]['mode']): Promise<Search> {
  const sent: { url: string; headers: Headers; body: string }[] = []
  const client = await connectMcp(at.url, at.apiKey, {
    mode,
    toolsets: null,
    fetch: (url, init) => {
      sent.push({
        url: String(url),
        headers: new Headers(init?.headers),
        body: String(init?.body),
      })
      return fetch(url, init)
    },
  })
  await client.callTool({ name: 'search', arguments: { query: 'placeholder', mode: 'KEYWORD' } })
  await client.close()
  const call = sent.find(({ body }) => body.includes('"placeholder"'))
  if (call === undefined) throw new Error('the SDK’s client has sent no call')
  const message = JSON.parse(call.body) as { params: { arguments: object } }
  return async (query, searchMode) => {
    const params = { ...message.params, arguments: { query, mode: searchMode, minScore: 0 } }
    const response = await fetch(call.url, {
      method: 'POST',
      headers: call.headers,
      body: JSON.stringify({ ...message, params }),
    })
    expectAnswer(await response.text())
  }
}

/** Of stop words alone nothing is found, which both sides say with a sequence. */
function expectAnswer(answer: string): void {
  if (!answer.includes('"sequence":')) throw new Error(`the search was refused: ${answer.slice(0, 500)}`)
}
