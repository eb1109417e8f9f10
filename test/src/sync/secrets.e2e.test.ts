import { dirname } from 'node:path'
import { schema } from '@daybook/gateway/schema/index'
import { newId } from '@daybook/memory/id'
import { SOCKET_PORT, socketPath } from '@daybook/postgres/embedded/host-folder'
import { startSwitchingProxy } from '@daybook/postgres/testing/switching-proxy'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { rootFields, variablesOf } from '../isolation/schema-operations.ts'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'

/*
 * A follower keeps the key of each home, and a promoted one gives the home that it replaced a key of its own. They open whole
 * projects, so nobody may read them anywhere: not in an answer, an error, a log line, the metrics or a report of `doctor`.
 */

/** The most that is ever written. */
const ENVIRONMENT = { LOG_LEVEL: 'trace' }
const FOLLOW = `mutation ($url: String!, $key: String!, $project: String!, $rule: ConflictRule) {
  followProject(url: $url, key: $key, project: $project, rule: $rule) {
    __typename ... on Following { followed { state problem homeUrl project { id } } } ... on DaybookError { code message } } }`
const PROMOTE = `mutation ($id: ID!, $url: String!, $lost: Boolean) { promoteProject(id: $id, url: $url, lost: $lost) {
  __typename ... on Promoted { epoch former } ... on DaybookError { code message } } }`
const REMEMBER = `mutation ($text: String!) { remember(input: { content: { note: { text: $text } } }) {
  __typename ... on Remembered { memory { id shared } } ... on DaybookError { code message } } }`
const REPOINT = `mutation ($id: ID!, $url: String!, $key: String!) {
  repointProject(id: $id, url: $url, key: $key) { __typename ... on DaybookError { message } } }`
const STATUS = '{ followedProjects { state problem waiting lagEvents openConflicts } }'

let home: TestDaemon
let follower: TestDaemon
let proxy: Awaited<ReturnType<typeof startSwitchingProxy>>
/** Everything that the two said, whom it came from beside it. */
const said: { readonly where: string; readonly text: string }[] = []

beforeAll(async () => {
  proxy = await startSwitchingProxy()
  home = createTestDaemon(undefined, {
    environment: {
      ...ENVIRONMENT,
      DAYBOOK_ALLOWED_HOSTS: `127.0.0.1:${proxy.port}`,
      DAYBOOK_NEXT_HOMES: '127.0.0.1',
    },
  })
  follower = createTestDaemon(undefined, { environment: ENVIRONMENT })
  await Promise.all([home.start(), follower.start()])
})
afterAll(async () => {
  await proxy?.stop()
  await Promise.all([home?.remove(), follower?.remove()])
})

/** Keys that open all projects, made when they are first needed. */
const adminKeys = new Map<TestDaemon, string>()

async function adminKeyOf(daemon: TestDaemon): Promise<string> {
  const known = adminKeys.get(daemon) ?? (await newKey(daemon, null)).key
  adminKeys.set(daemon, known)
  return known
}

/** Asks, and keeps what is answered. */
async function ask(daemon: TestDaemon, query: string, variables: object = {}, project?: string) {
  const response = await fetch(`${daemon.url()}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await adminKeyOf(daemon)}`,
      'content-type': 'application/json',
      ...(project !== undefined && { 'x-daybook-project': project }),
    },
    body: JSON.stringify({ query, variables }),
  })
  const text = await response.text()
  said.push({ where: `${daemon === home ? 'home' : 'follower'}: ${query}`, text })
  return JSON.parse(text)
}

/** A value beside a running daemon, in its embedded database. */
async function readValue({ dataDir }: TestDaemon, query: string): Promise<string> {
  const client = new Client({
    host: dirname(socketPath(dataDir)),
    port: SOCKET_PORT,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
  })
  await client.connect()
  try {
    const { rows } = await client.query<{ value: string }>(query)
    return rows[0]?.value ?? ''
  } finally {
    await client.end()
  }
}

/** @param project null: all */
async function newKey(daemon: TestDaemon, project: string | null): Promise<{ id: string; key: string }> {
  const { createKey } = dataOf<{ createKey: { id: string; key: string } }>(
    await daemon.graphql({
      query: `mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { id key } } }`,
      variables: {
        input: {
          name: 'a key',
          ...(project === null ? { allProjects: true } : { projects: [project] }),
          scopes: ['READ', 'WRITE', 'FOLLOW', 'ADMIN'],
        },
      },
    }),
  )
  return createKey
}

/** Asks for all that the API can be asked for. @returns the names of the queries that had data */
async function askEverything(
  daemon: TestDaemon,
  project: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const answered = new Set<string>()
  for (const { kind, name, args, document } of rootFields(schema)) {
    if (kind !== 'query') continue
    const variables = variablesOf(args, {
      pick: (among) => among.at(-1) as never,
      maybe: (path) => path.at(-1) === 'resolved',
      text: (type) => (type === 'ID' ? (ids[0] ?? newId()) : 'harbour'),
    })
    const { data } = await ask(daemon, document, variables, project)
    if (data?.[name] != null) answered.add(name)
  }
  return answered
}

it('no key of a home or of a former home is in an answer, an error, a log, the metrics or a report', async () => {
  const route = () => proxy.route({ host: '127.0.0.1', port: Number(new URL(home.url() ?? '').port) })
  const url = `http://127.0.0.1:${proxy.port}`
  const project = `harbour-${newId().slice(-8)}`
  await ask(home, 'mutation ($name: String!) { createProject(name: $name) { __typename } }', {
    name: project,
  })
  const first = await newKey(home, project)
  const second = await newKey(home, project)
  const mistyped = `${first.key.slice(0, -1)}${first.key.endsWith('x') ? 'y' : 'x'}`
  const secrets = [first.key, second.key, mistyped]
  const atHome = await ask(home, REMEMBER, { text: 'the harbour at noon' }, project)
  expect(atHome).toMatchObject({ data: { remember: { memory: { shared: true } } } })
  const status = async () => (await ask(follower, STATUS)).data.followedProjects[0]
  const follow = async (key: string, more: object = {}) =>
    (await ask(follower, FOLLOW, { url, key, project, rule: 'ASK', ...more })).data.followProject

  // Nobody is there; keys that are wrong in several ways; addresses with a key in them.
  expect(await follow(first.key)).toMatchObject({
    message: expect.stringContaining('does not answer'),
  })
  route()
  expect((await follow(mistyped)).message).toContain('mistyped')
  expect(await follow(`${first.key}\n`)).toMatchObject({ code: 'VALIDATION' })
  const { host } = new URL(url)
  const withKey = { url: `http://${first.key}:${first.key}@${host}/?key=${first.key}#${first.key}` }
  expect(await follow(mistyped, withKey)).toMatchObject({ message: expect.stringContaining('mistyped') })

  const following = await follow(first.key, withKey)
  const projectId = following.followed.project.id as string
  expect(following.followed.homeUrl).toBe(url)
  await expect.poll(status).toMatchObject({ state: 'CONNECTED', lagEvents: 0 })

  // Offline with a branch, back with a revoked key, and with another one.
  proxy.route(null)
  const offline = await ask(follower, REMEMBER, { text: 'the harbour at night' }, project)
  expect(offline).toMatchObject({ data: { remember: { memory: { shared: false } } } })
  expect((await status()).waiting).toBe(1)
  const ids = [offline.data.remember.memory.id as string]
  await askEverything(follower, project, ids)
  await ask(home, 'mutation ($id: ID!) { revokeKey(id: $id) { __typename } }', { id: first.id })
  route()
  await expect.poll(status).toMatchObject({ state: 'REFUSED' })
  const repointed = await ask(follower, REPOINT, { id: projectId, url, key: second.key })
  expect(repointed.data.repointProject).toEqual({ __typename: 'FollowedProject' })
  await expect.poll(status).toMatchObject({ state: 'CONNECTED', waiting: 0 })

  const answered = await askEverything(follower, project, ids)
  expect([...answered]).toEqual(
    expect.arrayContaining(['followedProjects', 'keys', 'checks', 'syncConflicts']),
  )
  expect([...(await askEverything(home, project, ids))]).toContain('followers')
  await report(follower)

  // The home is lost; it comes back, and follows with a key that was made for it.
  proxy.route(null)
  const own = `${follower.url()}`
  const promoted = await ask(follower, PROMOTE, { id: projectId, url: own, lost: true })
  expect(promoted.data.promoteProject).toMatchObject({ __typename: 'Promoted', former: url })
  const ownKey = await readValue(follower, 'select own_key as value from daybook.former_homes')
  expect(ownKey).toMatch(/^dbk_/u)
  secrets.push(ownKey)
  await askEverything(follower, project, ids)
  route()
  const atFormer = async () => (await ask(home, STATUS)).data.followedProjects
  await expect.poll(atFormer, { interval: 500 }).toMatchObject([{ state: 'CONNECTED' }])
  expect(await readValue(home, 'select home_key as value from daybook.followed_projects')).toBe(ownKey)
  await askEverything(home, project, ids)
  await askEverything(follower, project, ids)
  await report(home)
  await report(follower)

  for (const daemon of [home, follower]) {
    const log = daemon.log(Number.MAX_SAFE_INTEGER)
    // Below the usual level.
    expect(log).toContain('"level":20')
    said.push({ where: 'log', text: log }, { where: 'output', text: daemon.output() })
  }
  // The beginning of a key is shown: it tells keys apart.
  const found = said.flatMap(({ where, text }) =>
    secrets.filter((secret) => text.includes(secret.slice(14))).map(() => where),
  )
  expect(found).toEqual([])
  expect(said.length).toBeGreaterThan(100)
})

/** What operators see of the whole daemon. */
async function report(daemon: TestDaemon): Promise<void> {
  const metrics = await (await fetch(`${daemon.url()}/metrics`)).text()
  expect(metrics).toContain('daybook_')
  const environment = {
    DAYBOOK_URL: `${daemon.url()}`,
    DAYBOOK_API_KEY: await adminKeyOf(daemon),
    DAYBOOK_PROJECT: 'default',
  }
  for (const args of [['doctor'], ['doctor', '--json'], ['status', '--json']]) {
    const { stdout, stderr } = await runCli(args, environment)
    expect(stdout).not.toBe('')
    said.push({ where: args.join(' '), text: stdout + stderr })
  }
  said.push({ where: 'metrics', text: metrics })
}
