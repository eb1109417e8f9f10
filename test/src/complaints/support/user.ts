import type { TestClient, TestGateway } from '@daybook/gateway/testing/test-gateway'
import { pause } from '@daybook/runtime/backoff'
import { vi } from 'vitest'

/** A remembered memory, as the API returned it. */
export interface Remembered {
  readonly sequence: number
  readonly duplicate: boolean
  readonly id: string
  /** The id without the kind, as in the tables. */
  readonly memoryId: string
  readonly text: string
}

/** The answer to a search. */
export interface Found {
  readonly texts: readonly string[]
  readonly ids: readonly string[]
  readonly engine: string
  readonly degraded: readonly string[]
  readonly sequence: number
}

/** The options of a search. */
export interface FindOptions {
  readonly mode?: 'HYBRID' | 'SEMANTIC' | 'KEYWORD'
  readonly engine?: 'AUTO' | 'POSTGRES' | 'TYPESENSE'
  readonly atLeast?: number
  readonly limit?: number
  readonly filter?: object
}

/** One check of `daybook doctor`. */
export interface Check {
  readonly name: string
  readonly status: 'OK' | 'WARNING' | 'FAILED'
  readonly message: string
}

/** An event of the journal. */
export interface Event {
  readonly sequence: number
  readonly type: string
  readonly memoryId: string
  readonly version: number
  readonly actor: string | null
}

/** A user who knows only the API: remembers, searches, and reads reports. */
export interface User extends TestClient {
  /** Remembers at most 500, through `rememberMany`. */
  remember(inputs: readonly (string | RememberOptions)[]): Promise<Remembered[]>
  /** Searches for up to 100 memories, by words unless the options name another mode. */
  find(query: string, options?: FindOptions): Promise<Found>
  /** @returns the sequence */
  forget(id: string): Promise<number>
  /** @returns the sequence */
  restore(id: string): Promise<number>
  /** @returns the sequence */
  revise(id: string, text: string): Promise<number>
  /** Reads the events after a sequence, at most 1,000. */
  journal(after?: number): Promise<Event[]>
  /** Runs one check of `daybook doctor`. */
  check(name: string): Promise<Check>
  /** The value of one line of `/metrics`. */
  metric(name: string): Promise<number>
  /** Whether `daybook verify` finds that the projection agrees with the journal. */
  verify(projection: string): Promise<boolean>
  /** Waits until the live generations have everything, with vectors. */
  settled(): Promise<void>
}

/** A note to remember. */
export interface RememberOptions {
  readonly text: string
  readonly context?: string
  readonly labels?: readonly string[]
  readonly idempotencyKey?: string
}

const REMEMBER = `mutation ($inputs: [RememberInput!]!) {
  rememberMany(inputs: $inputs) {
    __typename ... on Remembered { sequence duplicate memory { id text } } ... on DaybookError { code message }
  }
}`

const SEARCH = `query ($query: String!, $mode: SearchMode, $engine: SearchEngine, $atLeast: Int, $limit: Int, $filter: MemoryFilter) {
  search(query: $query, mode: $mode, engine: $engine, atLeast: $atLeast, limit: $limit, filter: $filter) {
    engine degraded sequence hits { memory { id text } }
  }
}`

/** The selection of a change's result: why it was refused. */
const CHANGED = '... on DaybookError { code message }'

/** For `expect.poll`: a fault is reported. All checks of doctor take a tenth of a second of CPU time together. */
export const REPORTED = { interval: 500 }
/** For `expect.poll`: a fault is healed without a person. */
export const HEALED = { interval: 500 }

/** A user with a new project. */
export async function newUser(gateway: TestGateway): Promise<User> {
  return asUser(await gateway.newClient(true))
}

/** The user who has this client's key. */
export function asUser(client: TestClient): User {
  const change = async (field: string, variables: string, values: object): Promise<number> => {
    const [result] = Object.values(await client.data(`mutation (${variables}) { ${field} }`, values))
    if (result.sequence === undefined) throw new Error(`it was refused: ${JSON.stringify(result)}`)
    return result.sequence
  }
  const user: User = {
    ...client,
    async remember(inputs) {
      const { rememberMany } = await client.data(REMEMBER, {
        inputs: inputs.map((input) => {
          const { text, ...more } = typeof input === 'string' ? { text: input } : input
          return { content: { note: { text } }, ...more }
        }),
      })
      return rememberMany.map((one: RememberAnswer): Remembered => {
        if (one.__typename !== 'Remembered') throw new Error(`it was refused: ${JSON.stringify(one)}`)
        const { sequence, duplicate, memory } = one
        return { sequence, duplicate, ...memory, memoryId: plainId(memory.id) }
      })
    },
    async find(query, options = {}) {
      const { search } = await client.data(SEARCH, { query, limit: 100, mode: 'KEYWORD', ...options })
      const { hits, ...more } = search
      return {
        ...more,
        texts: hits.map(({ memory }: { memory: { text: string } }) => memory.text),
        ids: hits.map(({ memory }: { memory: { id: string } }) => memory.id),
      }
    },
    forget: (id) =>
      change(`forget(id: $id) { ... on Forgotten { sequence } ${CHANGED} }`, '$id: ID!', { id }),
    restore: (id) =>
      change(`restore(id: $id) { ... on Restored { sequence } ${CHANGED} }`, '$id: ID!', { id }),
    revise: (id, text) =>
      change(
        `revise(id: $id, input: $input) { ... on Revised { sequence } ${CHANGED} }`,
        '$id: ID!, $input: ReviseInput!',
        { id, input: { content: { note: { text } } } },
      ),
    async journal(after = 0) {
      const { journal } = await client.data(
        'query ($after: Int!) { journal(after: $after, first: 1000) { sequence type memoryId version actor } }',
        { after },
      )
      return journal
    },
    async check(name) {
      const { checks } = await client.data('{ checks { name status message } }')
      const found = checks.find((one: Check) => one.name === name)
      if (found === undefined) throw new Error(`there is no check ${name}`)
      return found
    },
    async metric(name) {
      const response = await fetch(`${client.url}/metrics`)
      const lines = (await response.text()).split('\n').filter((line) => line.startsWith(`${name}{`))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    async verify(projection) {
      const { verify } = await client.data(
        `mutation ($projection: ProjectionName!) { verify(projection: $projection) { ... on Operation { id } ... on DaybookError { code message } } }`,
        { projection: projection.toUpperCase() },
      )
      if (verify.id === undefined) throw new Error(`it was refused: ${JSON.stringify(verify)}`)
      for (;;) {
        const { operation } = await client.data(
          'query ($id: ID!) { operation(id: $id) { status error result } }',
          { id: verify.id },
        )
        if (operation.status === 'SUCCEEDED') return operation.result.clean
        if (operation.status === 'FAILED') throw new Error(operation.error)
        await pause(50)
      }
    },
    async settled() {
      await vi.waitUntil(
        async () =>
          (await client.data('{ projections { lag pendingEmbeddings } }'))['projections'].every(
            (one: { lag: number; pendingEmbeddings: number }) => one.lag === 0 && one.pendingEmbeddings === 0,
          ),
        { interval: 50 },
      )
    },
  }
  return user
}

type RememberAnswer = {
  readonly __typename: string
  readonly sequence: number
  readonly duplicate: boolean
  readonly memory: { readonly id: string; readonly text: string }
}

/** The uuid in a global id, `note:<uuid>`. */
const plainId = (id: string): string => id.slice(id.indexOf(':') + 1)
