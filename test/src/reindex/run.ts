import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { pause } from '@daybook/runtime/backoff'
import { startClusterWith } from '../chaos/cluster.ts'
import type { ServiceName } from '../chaos/service-process.ts'
import { readConversations, toRememberInputs } from '../locomo/conversations.ts'
import { HANGS_MS } from '../support/child-process.ts'
import { type Api, dataOf } from '../support/graphql.ts'
import { percentile } from '../support/percentile.ts'
import { createRandom, derivedSeed, type Random } from '../support/random.ts'
import { ended, request, succeeded } from './operations.ts'
import { startTraffic } from './traffic.ts'
import { startTypesenseProcess } from './typesense-process.ts'

/** The options of a reindex run. */
export interface ReindexRunOptions {
  /** How many memories to generate, besides LoCoMo's. */
  readonly memories: number
  /** LoCoMo's folder; null to leave LoCoMo out. */
  readonly locomo: string | null
  readonly seed: number
  /** Writes per second, and as many searches. */
  readonly perSecond: number
  /** How often the process of a rebuild is killed. */
  readonly kills: number
  /** Whether both projections change to another embedding model and back. Default true. */
  readonly switchModel?: boolean
  /** How long to write and search without rebuilds, in milliseconds, for comparison. Default 10,000. */
  readonly aloneMs?: number
  /** As of a cluster. */
  readonly alone?: readonly ServiceName[]
  readonly report?: (line: string) => void
}

/** The result of a reindex run. */
export interface ReindexRun {
  /** The violations found, in words. */
  readonly problems: readonly string[]
  readonly writes: number
  readonly searches: number
  readonly engines: Readonly<Record<string, number>>
  /** Milliseconds that a search took: the median and the 99th percentile. */
  readonly search: { readonly p50: number; readonly p99: number }
  readonly rollbackMs: readonly number[]
  /** Where logs are kept after a failure. */
  readonly folder: string | null
}

const PROJECTIONS = ['PGVECTOR', 'TYPESENSE'] as const
const MODEL = 'test-hash/64'
const OTHER_MODEL = 'test-hash/96'

/**
 * Rebuilds both projections of a cluster under traffic, in every way that operators can. It checks the
 * promises: no search fails or is empty, no write is lost, both projections equal the journal afterwards, a
 * rollback is instant, and a killed rebuild resumes and leaves nothing behind.
 */
export async function runReindex(options: ReindexRunOptions): Promise<ReindexRun> {
  const {
    memories,
    locomo,
    seed,
    perSecond,
    kills,
    switchModel = true,
    aloneMs = 10_000,
    alone = [],
    report = () => {},
  } = options
  const random = createRandom(seed)
  const cluster = await startClusterWith(
    { embedder: MODEL, embedderOf: 'all', alone },
    { startTypesense: startTypesenseProcess, startPostgres: startNativeServer },
  )
  const { api } = cluster
  const problems: string[] = []
  const rollbackMs: number[] = []
  let began = Date.now()
  const traffic: ReturnType<typeof startTraffic>[] = []
  const say = (line: string) => {
    report(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`)
    for (const { searches, problems: met, searchTimes } of traffic)
      report(
        `          ${searches} searches so far, half of them within ${percentile(searchTimes, 0.5).toFixed(0)} ms, 99 of 100 within ${percentile(searchTimes, 0.99).toFixed(0)} ms; ${met.length} problems${met.length > 0 ? `, such as ${met[0]}` : ''}`,
      )
    began = Date.now()
  }
  try {
    const written = await fill(api, memories, locomo, random)
    say(`${written} memories remembered`)
    await settled(api)
    say('both projections have them')
    const going = startTraffic({
      api,
      random: createRandom(derivedSeed(seed, 1)),
      perSecond,
      queries: QUERIES,
      name: 'meanwhile',
    })
    traffic.push(going)
    await pause(aloneMs)
    say('nothing but writes and searches until now')

    await both((projection) => succeeded(api, `reindex(projection: ${projection})`))
    say('both were rebuilt')
    for (const projection of PROJECTIONS) rollbackMs.push(await rollback(api, projection))
    say(`both were rolled back, in ${rollbackMs.map((ms) => ms.toFixed(0)).join(' and ')} ms`)
    await verified(api, problems)
    say('both equal the journal')

    for (const model of switchModel ? [OTHER_MODEL, MODEL] : []) {
      await both((projection) => succeeded(api, `reindex(projection: ${projection}, model: "${model}")`))
      say(`both went to ${model}`)
      await verified(api, problems)
      say('both equal the journal')
    }

    for (let kill = 0; kill < kills; ) {
      const projection = PROJECTIONS[kill % 2] ?? 'PGVECTOR'
      const { id } = await request(api, `reindex(projection: ${projection})`)
      let done = false
      const end = ended(api, id).finally(() => {
        done = true
      })
      const phases: string[] = []
      while (!done && kill < kills) {
        await pause(random.between(50, Math.max(400, memories / 20)))
        if (done) break
        const { phase } = dataOf<{ operation: { phase: string } }>(
          await api.graphql({
            query: 'query ($id: ID!) { operation(id: $id) { phase } }',
            variables: { id },
          }),
        ).operation
        const processes = cluster.services.filter(({ service }) => service === 'reindex')
        await Promise.all(processes.map((one) => one.kill()))
        phases.push(phase)
        kill += 1
        await Promise.all(processes.map((one) => one.start()))
      }
      const { status, error } = await end
      if (status !== 'SUCCEEDED') problems.push(`a rebuild that was killed ended as ${status}: ${error}`)
      say(`the rebuild of ${projection} was killed in ${phases.join(', ') || 'no phase'}, and ${status}`)
    }
    await verified(api, problems)
    await noLeftovers(api, problems)
    say('both equal the journal, and no generation is left over')

    await going.stop()
    problems.push(...going.problems)
    problems.push(...(await lost(api, going.acknowledged)))
    await settled(api)
    await verified(api, problems)
    return {
      problems,
      writes: going.writes,
      searches: going.searches,
      engines: going.engines,
      search: { p50: percentile(going.searchTimes, 0.5), p99: percentile(going.searchTimes, 0.99) },
      rollbackMs,
      folder: problems.length > 0 ? cluster.folder : null,
    }
  } finally {
    await Promise.all(traffic.map((one) => one.stop()))
    await cluster.stop({ keepFolder: problems.length > 0 })
  }
}

const both = (what: (projection: string) => Promise<unknown>) => Promise.all(PROJECTIONS.map(what))

/**
 * Makes hundreds of words, as in a language. With few words, each in a tenth of all memories, a search had to
 * score tens of thousands of memories.
 */
const combined = (starts: string, ends: string): string[] =>
  starts.split(' ').flatMap((start) => ends.split(' ').map((end) => start + end))
const WORDS = combined(
  'har lan com an rig ti kee char sig ma bol cap dri fen gun hat jib lea moo oar',
  'bour tern pass chor ging dal rod ton nal sten lard stan ver der wale chet ter ward rin lock',
)
const PLACES = combined(
  'Ber Lis Cor Gen Ri Por Mal Spli Gdy Bil Vis Tal Rot Ant Mar Nar Kie Hel Aar Tro',
  'gen bona kil ova gau tovik mund sund stad holm havn vik borg nes werp seille lin sinki hus dheim',
)
/** The queries, asked in turn. Their words are in the memories. */
const QUERIES = WORDS.slice(0, 200).map((word, index) => `the ${word} of ${PLACES[index * 2]}`)

const MANY = `mutation ($inputs: [RememberInput!]!) {
  rememberMany(inputs: $inputs) { __typename ... on DaybookError { message } }
}`

async function fill(api: Api, memories: number, locomo: string | null, random: Random): Promise<number> {
  const inputs: object[] =
    locomo === null ? [] : readConversations(locomo).flatMap((one) => [...toRememberInputs(one)])
  for (let index = 0; index < memories; index += 1)
    inputs.push({
      content: {
        note: {
          text: `The ${random.oneOf(WORDS)} of ${random.oneOf(PLACES)} was noted as ${index}, beside the ${random.oneOf(WORDS)} of ${random.oneOf(PLACES)} and the number ${random.between(1, 99_999)}`,
        },
      },
      context: `logbook-${index % 200}`,
    })
  for (let from = 0; from < inputs.length; from += 250) {
    const { rememberMany } = dataOf<{ rememberMany: { __typename: string; message?: string }[] }>(
      await api.graphql({ query: MANY, variables: { inputs: inputs.slice(from, from + 250) } }),
    )
    const refused = rememberMany.find((one) => one.__typename !== 'Remembered')
    if (refused !== undefined) throw new Error(`a memory was refused: ${refused.message}`)
  }
  return inputs.length
}

async function settled(api: Api): Promise<void> {
  for (;;) {
    const { projections } = dataOf<{ projections: { lag: number; pendingEmbeddings: number }[] }>(
      await api.graphql({ query: '{ projections { lag pendingEmbeddings } }' }),
    )
    if (projections.length === 2 && projections.every((one) => one.lag + one.pendingEmbeddings === 0)) return
    await pause(500)
  }
}

async function rollback(api: Api, projection: string): Promise<number> {
  const asked = performance.now()
  const { rollback: told } = dataOf<{ rollback: { __typename: string; message?: string } }>(
    await api.graphql({
      query: `mutation { rollback(projection: ${projection}) { __typename ... on DaybookError { message } } }`,
    }),
  )
  if (told.__typename !== 'Generation') throw new Error(`no rollback of ${projection}: ${told.message}`)
  return performance.now() - asked
}

async function verified(api: Api, problems: string[]): Promise<void> {
  await both(async (projection) => {
    const { result } = await succeeded(api, `verify(projection: ${projection})`)
    if (result?.['clean'] !== true)
      problems.push(`${projection} differs: ${JSON.stringify(result).slice(0, 2_000)}`)
  })
}

async function noLeftovers(api: Api, problems: string[]): Promise<void> {
  // Replaced generations are dropped within seconds.
  for (const deadline = Date.now() + HANGS_MS; ; await pause(250)) {
    const { generations } = dataOf<{
      generations: { projection: string; generation: number; status: string }[]
    }>(await api.graphql({ query: '{ generations { projection generation status } }' }))
    const left = generations.filter(({ status }) => status !== 'LIVE' && status !== 'OLD')
    if (left.length > 0 && Date.now() < deadline) continue
    for (const { projection, generation, status } of left)
      problems.push(`generation ${generation} of ${projection} is left over (${status})`)
    return
  }
}

async function lost(api: Api, acknowledged: readonly number[]): Promise<string[]> {
  const there = new Set<number>()
  for (let after = 0; ; ) {
    const { journal } = dataOf<{ journal: { sequence: number }[] }>(
      await api.graphql({
        query: 'query ($after: Int!) { journal(after: $after, first: 100) { sequence } }',
        variables: { after },
      }),
    )
    for (const { sequence } of journal) there.add(sequence)
    const last = journal.at(-1)
    if (last === undefined) break
    if (last.sequence !== after + journal.length) return [`the journal has a gap after ${after}`]
    after = last.sequence
  }
  return acknowledged
    .filter((sequence) => !there.has(sequence))
    .map((sequence) => `the write ${sequence} is lost`)
}
