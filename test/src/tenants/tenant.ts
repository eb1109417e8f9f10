import type { TestDaemon } from '../support/daemon.ts'
import { askGraphQL, dataOf, type GraphQLAnswer } from '../support/graphql.ts'
import type { Random } from '../support/random.ts'

/** A project whose every memory holds its own mark. */
export interface Tenant {
  readonly number: number
  readonly key: string
  /** Of the memories that it began with. */
  readonly ids: readonly string[]
}

/** How many memories one request writes. */
const BATCH = 500

const TOPICS = ['tokens', 'tides', 'bread', 'rivers', 'glass', 'bees', 'trains', 'paint', 'stars', 'soil']

/** A word that only this tenant's memories have. `marksIn` finds it again. */
export const markOf = (number: number): string => `tenant${String(number).padStart(4, '0')}mark`

/** The numbers of all tenants whose marks stand in a text. */
export const marksIn = (text: string): ReadonlySet<number> =>
  new Set([...text.matchAll(/tenant(\d{4})mark/giu)].map((match) => Number(match[1])))

const noteOf = (number: number, random: Random) => ({
  content: {
    note: { text: `${markOf(number)}: what we know of ${random.oneOf(TOPICS)} and ${random.oneOf(TOPICS)}` },
  },
  context: `${markOf(number)}/shared`,
  agent: `${markOf(number)}-agent`,
  labels: [random.oneOf(TOPICS), markOf(number)],
})

/** Makes a project, a key for it, and its memories. */
export async function createTenant(
  daemon: TestDaemon,
  number: number,
  { memories, random }: { readonly memories: number; readonly random: Random },
): Promise<Tenant> {
  const name = `${markOf(number)} project`
  const { createKey } = dataOf(
    await daemon.graphql<{ createKey: { readonly key: string } }>({
      query: `mutation ($name: String!, $keyName: String!) {
        createProject(name: $name) { ... on CreatedProject { project { id } } }
        createKey(input: { name: $keyName, projects: [$name], scopes: [READ, WRITE, ADMIN] }) { ... on CreatedKey { key } }
      }`,
      variables: { name, keyName: `${markOf(number)} key` },
    }),
  )
  const ids: string[] = []
  for (let written = 0; written < memories; written += BATCH) {
    const inputs = Array.from({ length: Math.min(BATCH, memories - written) }, () => noteOf(number, random))
    const { rememberMany } = dataOf(
      await ask<{ rememberMany: readonly { readonly memory: { readonly id: string } }[] }>(
        daemon,
        createKey.key,
        'mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { ... on Remembered { memory { id } } } }',
        { inputs },
      ),
    )
    ids.push(...rememberMany.map(({ memory }) => memory.id))
  }
  return { number, key: createKey.key, ids }
}

const HIT = 'hits { score snippet memory { ...memory } }'
const MEMORY =
  'fragment memory on Memory { id version title context agent labels history { edges { node { version } } } }'

/** What tenants do: an operation, and whether it is one with another's ids, which must find nothing. */
const ASK: readonly ((of: { tenant: Tenant; other: Tenant; random: Random }) => readonly [string, object])[] =
  [
    ({ random }) => [
      `query ($q: String!) { search(query: $q) { ${HIT} } } ${MEMORY}`,
      { q: `what of ${random.oneOf(TOPICS)}` },
    ],
    ({ other }) => [
      `query ($q: String!) { search(query: $q) { ${HIT} } } ${MEMORY}`,
      { q: `of ${halfMark(other)}` },
    ],
    ({ random }) => [
      `query ($label: String!) { memories(first: 20, filter: { labelsAny: [$label] }) { edges { node { ...memory } } } } ${MEMORY}`,
      { label: random.oneOf(TOPICS) },
    ],
    ({ tenant, random }) => [
      `query ($id: ID!) { memory(id: $id) { ...memory } } ${MEMORY}`,
      { id: random.oneOf(tenant.ids) },
    ],
    ({ other, random }) => [
      `query ($id: ID!) { memory(id: $id) { ...memory } } ${MEMORY}`,
      { id: random.oneOf(other.ids) },
    ],
    () => ['{ facets { labels { value count } contexts { value count } agents { value count } } }', {}],
    () => ['{ journal { sequence hash } }', {}],
    ({ tenant, random }) => [
      `mutation ($input: RememberInput!) { remember(input: $input) { ... on Remembered { memory { ...memory } } } } ${MEMORY}`,
      { input: noteOf(tenant.number, random) },
    ],
    ({ tenant, random }) => [
      `mutation ($id: ID!, $text: String!) { revise(id: $id, input: { content: { note: { text: $text } } }) { __typename } }`,
      { id: random.oneOf(tenant.ids), text: `${markOf(tenant.number)} revised: of ${random.oneOf(TOPICS)}` },
    ],
    ({ other, random }) => [
      'mutation ($id: ID!) { forget(id: $id) { __typename } }',
      { id: random.oneOf(other.ids) },
    ],
  ]

/** Half of another's mark, so that what is asked for is never taken for an answer. */
const halfMark = ({ number }: Tenant) => markOf(number).slice(0, -4)

/** Sends one request of a tenant. @returns the answer as text */
export async function act(
  daemon: TestDaemon,
  tenant: Tenant,
  other: Tenant,
  random: Random,
): Promise<string> {
  const [query, variables] = random.oneOf(ASK)({ tenant, other, random })
  return JSON.stringify(await ask(daemon, tenant.key, query, variables))
}

function ask<Data>(
  daemon: TestDaemon,
  apiKey: string,
  query: string,
  variables: object,
): Promise<GraphQLAnswer<Data>> {
  return askGraphQL<Data>({ url: daemon.url() ?? '', apiKey }, { query, variables: { ...variables } })
}
