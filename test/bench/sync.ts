import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { pause } from '@daybook/runtime/backoff'
import { createTestDaemon, type TestDaemon } from '../src/support/daemon.ts'
import { dataOf } from '../src/support/graphql.ts'
import { percentile } from '../src/support/percentile.ts'
import { createRandom } from '../src/support/random.ts'
import { printComparison, seconds } from './bench.ts'
import { createVocabulary, sentence } from './generated-texts.ts'

/**
 * Two daemons, the second of which follows the first: how fast it copies a journal and applies it, and how long a write at
 * home takes to be found there. Without a model, so that only sync is measured.
 */
export const name = 'sync'
export const description =
  'a follower’s first copy in events a second, its projection against a local rebuild, and from a write at home to a hit on the follower'

const EVENTS = 20_000
const A_CALL = 500
const WRITES = 200
const GOAL = { events: 5_000, rebuild: 0.5, foundMs: 100 }

const REMEMBER_MANY = `mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }`
const REMEMBER = `mutation ($text: String!) { remember(input: { content: { note: { text: $text } } }) { ... on Remembered { sequence } } }`
const FOUND = `query ($text: String!) { search(query: $text, mode: KEYWORD, limit: 1, floor: false) { hits { memory { text } } } }`
const PROJECTS = '{ projects { id name } }'
const FOLLOW = `mutation ($url: String!, $key: String!, $project: String!) { followProject(url: $url, key: $key, project: $project) {
  __typename ... on DaybookError { message } } }`
const STATUS = '{ followedProjects { state copied homeSequence } projections { name position } }'
const REINDEX = `mutation { reindex(projection: PGVECTOR) { __typename ... on Operation { id } ... on DaybookError { message } } }`
const OPERATION = `query ($id: ID!) { operation(id: $id) { status error } }`

interface Standing {
  readonly followedProjects: readonly { state: string; copied: number; homeSequence: number }[]
  readonly projections: readonly { name: string; position: number }[]
}

const ask = async <Data>(daemon: TestDaemon, query: string, variables: object = {}): Promise<Data> =>
  dataOf(await daemon.graphql<Data>({ query, variables: { ...variables } }))

/** Milliseconds between two questions how far it is: asked every 20 ms, a follower spent a fifth of its time on answers. */
const LOOK_MS = 100

/** Asks again and again until the answer will do. @returns the seconds */
const until = (daemon: TestDaemon, does: (standing: Standing) => boolean): Promise<number> =>
  seconds(async () => {
    while (!does(await ask<Standing>(daemon, STATUS))) await pause(LOOK_MS)
  })

async function fill(home: TestDaemon): Promise<void> {
  const random = createRandom(1)
  const word = createVocabulary(random, 5_000)
  for (let from = 0; from < EVENTS; from += A_CALL)
    await ask(home, REMEMBER_MANY, {
      inputs: Array.from({ length: A_CALL }, () => ({
        content: { note: { text: sentence(random, word, 10, 60) } },
      })),
    })
}

async function rebuildOnce(daemon: TestDaemon): Promise<number> {
  return seconds(async () => {
    const { reindex } = await ask<{ reindex: { id?: string; message?: string } }>(daemon, REINDEX)
    if (reindex.id === undefined) throw new Error(reindex.message)
    for (;;) {
      const { operation } = await ask<{ operation: { status: string; error: string | null } }>(
        daemon,
        OPERATION,
        {
          id: reindex.id,
        },
      )
      if (operation.status === 'SUCCEEDED') return
      if (operation.status === 'FAILED') throw new Error(operation.error ?? 'the rebuild failed')
      await pause(50)
    }
  })
}

/** Milliseconds from the home's answer until the follower finds it, of each write; the follower is asked all the time. */
async function findable(home: TestDaemon, follower: TestDaemon): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < WRITES; at += 1) {
    const text = `needle${at} in a haystack`
    await ask(home, REMEMBER, { text })
    const written = performance.now()
    for (;;) {
      const { search } = await ask<{ search: { hits: { memory: { text: string } }[] } }>(follower, FOUND, {
        text: `needle${at}`,
      })
      if (search.hits[0]?.memory.text === text) break
    }
    times.push(performance.now() - written)
    await pause(20)
  }
  return times
}

async function between(kind: string, home: TestDaemon, follower: TestDaemon): Promise<void> {
  await fill(home)
  // What the home has still to apply would take its share of the cores from the copying.
  await until(home, ({ projections: [one] }) => one?.position === EVENTS)
  const { projects } = await ask<{ projects: { id: string; name: string }[] }>(home, PROJECTS)
  const started = performance.now()
  const { followProject } = await ask<{ followProject: { __typename: string; message?: string } }>(
    follower,
    FOLLOW,
    {
      url: home.url(),
      key: readFileSync(join(home.dataDir, 'api-key'), 'utf8').trim(),
      project: projects[0]?.id,
    },
  )
  if (followProject.__typename !== 'Following') throw new Error(followProject.message)
  await until(follower, ({ followedProjects: [one] }) => one?.copied === EVENTS)
  const copying = (performance.now() - started) / 1_000
  await until(follower, ({ projections: [one] }) => one?.position === EVENTS)
  const applying = (performance.now() - started) / 1_000
  const rebuilding = await rebuildOnce(follower)
  console.log(`${kind}: ${EVENTS} events`)
  printComparison({
    title: '  the journal, copied and checked',
    ours: { label: 'events a second', value: (EVENTS / copying).toFixed(0) },
    theirs: { label: 'goal', value: String(GOAL.events) },
    ratio: EVENTS / copying / GOAL.events,
    goal: { atLeast: 1 },
  })
  printComparison({
    title: '  the projection, from the beginning until it has everything',
    ours: { label: 'while copying', value: `${applying.toFixed(1)} s` },
    theirs: { label: 'a local rebuild', value: `${rebuilding.toFixed(1)} s` },
    ratio: rebuilding / applying,
    goal: { atLeast: GOAL.rebuild },
  })
  const times = await findable(home, follower)
  const p50 = percentile(times, 0.5)
  printComparison({
    title: `  from the home's answer to a hit by words on the follower, ${WRITES} writes`,
    ours: { label: 'p50, p95', value: `${p50.toFixed(1)}, ${percentile(times, 0.95).toFixed(1)} ms` },
    theirs: { label: 'goal', value: `${GOAL.foundMs} ms` },
    ratio: p50 / GOAL.foundMs,
    goal: { atMost: 1 },
  })
}

export async function run(): Promise<void> {
  const servers = OWN_POSTGRES.problem === null ? [await startNativeServer(), await startNativeServer()] : []
  const sides: readonly (readonly [string, readonly Readonly<Record<string, string>>[]])[] = [
    ['embedded PGlite', [{}, {}]],
    ...(servers.length === 0
      ? []
      : [['native Postgres', servers.map(({ url }) => ({ DATABASE_URL: url }))] as const]),
  ]
  for (const [kind, environments] of sides) {
    const daemons = environments.map((environment) =>
      createTestDaemon(undefined, {
        environment: { ...environment, DAYBOOK_SELF_CHECK: 'off', LOG_LEVEL: 'warn' },
      }),
    )
    try {
      for (const daemon of daemons) await daemon.start()
      await between(kind, daemons[0] as TestDaemon, daemons[1] as TestDaemon)
    } finally {
      for (const daemon of daemons) await daemon.remove()
    }
  }
  for (const server of servers) await server.stop()
}
