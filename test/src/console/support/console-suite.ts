import { newId } from '@daybook/memory/id'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { createTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { askGraphQL, dataOf } from '../../support/graphql.ts'
import { CHROMIUM } from './chromium.ts'
import { startVisit, type Visit, type VisitOptions } from './visit.ts'

/** A project of a journey's own, and a key that opens it. */
export interface Tenant {
  readonly project: string
  readonly key: string
  readonly keyId: string
  /** Sends an operation with the key. @throws where the answer holds errors */
  // oxlint-disable-next-line no-explicit-any -- the shape of an answer is what the journeys need
  ask(query: string, variables?: Readonly<Record<string, unknown>>): Promise<any>
  /** Remembers these, and waits until a search finds them. */
  remember(inputs: readonly object[]): Promise<void>
}

/** What all journeys share: one daemon on the embedded database, and one browser. */
export interface ConsoleSuite {
  readonly url: string
  readonly daemon: TestDaemon
  /** @param scopes of its key. Default READ and WRITE */
  newTenant(scopes?: readonly string[]): Promise<Tenant>
  /** A browser that has never been here. */
  visit(options?: VisitOptions): Promise<Visit>
  /** A browser with a session, at the page `path`, by default the search, of the daemon at `at`, by default this one. */
  visitAs(
    tenant: Pick<Tenant, 'key'>,
    options?: VisitOptions & { readonly path?: string; readonly at?: string },
  ): Promise<Visit>
  /** Whose key runs the whole Daybook, and opens all projects. */
  newAdmin(): Promise<Pick<Tenant, 'key'>>
  /** Sends an operation with the key that runs the whole Daybook. */
  // oxlint-disable-next-line no-explicit-any -- as above
  askAsAdmin(query: string, variables?: Readonly<Record<string, unknown>>): Promise<any>
}

/** Starts them for the calling suite, before its first journey. */
export function useConsole(): ConsoleSuite {
  const daemon = createTestDaemon(undefined, {
    // Vectors from words alone: the console is tested, not the model.
    environment: { DAYBOOK_EMBEDDER: 'test-hash/64/token-bits-1' },
  })
  let browser: Browser
  beforeAll(async () => {
    ;[browser] = await Promise.all([
      chromium.launch({
        executablePath: CHROMIUM as string,
        args: ['--no-sandbox', '--disable-dev-shm-usage'],
      }),
      daemon.start(),
    ])
  })
  afterAll(async () => {
    await browser?.close()
    await daemon.remove()
  })
  const url = (): string => {
    const found = daemon.url()
    if (found === null) throw new Error(`the daemon is stopped\n${daemon.log()}`)
    return found
  }
  const askAsAdmin: ConsoleSuite['askAsAdmin'] = async (query, variables = {}) =>
    dataOf(await daemon.graphql({ query, variables }))
  const suite: ConsoleSuite = {
    get url() {
      return url()
    },
    daemon,
    askAsAdmin,
    async newAdmin() {
      const { createKey } = await askAsAdmin(
        'mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { key } } }',
        { input: { name: 'administrator', allProjects: true, scopes: ['READ', 'WRITE', 'ADMIN'] } },
      )
      return createKey
    },
    async newTenant(scopes = ['READ', 'WRITE']) {
      const project = `journey-${newId().slice(-8)}`
      await askAsAdmin('mutation ($name: String!) { createProject(name: $name) { __typename } }', {
        name: project,
      })
      const { createKey } = await askAsAdmin(
        'mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { id key } } }',
        { input: { name: `key of ${project}`, projects: [project], scopes } },
      )
      const { id: keyId, key } = createKey as { id: string; key: string }
      const ask: Tenant['ask'] = async (query, variables = {}) =>
        dataOf(await askGraphQL({ url: url(), apiKey: key }, { query, variables }))
      return { project, key, keyId, ask, remember: (inputs) => remember(ask, inputs) }
    },
    visit: (options) => startVisit(browser, url(), options),
    async visitAs({ key }, { path = '/', at = url(), ...options } = {}) {
      const visit = await startVisit(browser, at, options)
      await visit.context.addCookies([{ url: at, ...(await logIn(at, key)), httpOnly: true }])
      await visit.page.goto(path)
      await visit.page.getByRole('link', { name: 'Daybook', exact: true }).waitFor()
      return visit
    },
  }
  return suite
}

/** Logs in as the page does, without a page: the journeys of the login show that. */
async function logIn(url: string, key: string): Promise<{ name: string; value: string }> {
  const response = await fetch(`${url}/console/session`, {
    method: 'POST',
    headers: { 'x-daybook-console': '1', origin: url },
    body: JSON.stringify({ key }),
  })
  const [, name = '', value = ''] = /^([^=]+)=([^;]+)/u.exec(response.headers.get('set-cookie') ?? '') ?? []
  return { name, value }
}

/** Remembers, and waits until words and meaning find it: an answer between the two orders its hits in another way. */
async function remember(ask: Tenant['ask'], inputs: readonly object[]): Promise<void> {
  const { rememberMany } = await ask(
    `mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) {
      ... on Remembered { sequence } ... on DaybookError { message } } }`,
    { inputs },
  )
  const sequences = (rememberMany as { sequence?: number; message?: string }[]).map(
    ({ sequence, message }) => {
      if (sequence === undefined) throw new Error(message)
      return sequence
    },
  )
  await ask('query ($atLeast: Int) { memories(first: 1, atLeast: $atLeast) { edges { cursor } } }', {
    atLeast: Math.max(...sequences),
  })
  await expect
    .poll(async () => (await ask('{ projections { pendingEmbeddings } }')).projections)
    .toEqual([{ pendingEmbeddings: 0 }])
}
