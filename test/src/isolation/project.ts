import { type TestClient, testClient } from '@daybook/gateway/testing/test-gateway'
import { newId } from '@daybook/memory/id'

/** Texts that every project holds and asks for: where a filter is missing, they find what belongs to others. */
export const COMMON = {
  words: ['giraffe', 'deploy', 'token', 'harbour'],
  label: 'common label',
  context: 'common context',
  agent: 'common agent',
  /** Of insights, stashes, decisions, entities and documents. */
  key: 'common key',
  idempotencyKey: 'common idempotency key',
  correlationId: 'common-correlation',
  keyName: 'common key name',
} as const

/** A project as the test knows it. */
export interface Project {
  readonly id: string
  /** Others may send it, so it has not the marker but a word of its own. */
  readonly name: string
  /** A word that stands in every text of the project, and that nobody else ever sends. */
  readonly marker: string
  /** With a key that reads, writes and administers this project. */
  readonly client: TestClient
  /** The ids that it has by now, by what they are of. */
  readonly ids: ProjectIds
}

/** What names things of a project, and appears nowhere else. */
export interface ProjectIds {
  /** With their kinds. */
  memory: string[]
  key: string[]
  operation: string[]
  event: string[]
  hash: string[]
}

const MAKE_PROJECT = `mutation ($name: String!) {
  createProject(name: $name) { ... on CreatedProject { project { id name } } ... on DaybookError { message } }
}`
const MAKE_KEY = `mutation ($input: CreateKeyInput!) {
  createKey(input: $input) { ... on CreatedKey { id key } ... on DaybookError { message } }
}`

/** A word that no text has by chance. All are equally long, so that answers about them are. */
export const newWord = (): string => `zq${newId().replaceAll('-', '').slice(-12)}`

/** Makes an empty project and its key. @param admin a client that runs the whole Daybook */
export async function makeProject(admin: TestClient): Promise<Project> {
  const marker = newWord()
  const { createProject } = await admin.data(MAKE_PROJECT, { name: `project ${newWord()}` })
  const { id, name } = createProject.project
  const key = await makeKey(admin, [id], `key of ${marker}`)
  return {
    id,
    name,
    marker,
    client: testClient(admin.url, key.key, id),
    ids: { memory: [], key: [], operation: [], event: [], hash: [] },
  }
}

/** Makes a key with every scope of these projects. */
export async function makeKey(
  admin: TestClient,
  projects: readonly string[],
  name: string,
): Promise<{ readonly id: string; readonly key: string }> {
  const input = { name, projects, scopes: ['READ', 'WRITE', 'ADMIN'] }
  return (await admin.data(MAKE_KEY, { input })).createKey
}

const RELEASE = `mutation ($id: ID!) { releaseQuarantine(id: $id) { __typename } }`

/** Ends the project's quarantines, so that a random one does not refuse what the test writes afterwards. */
export async function releaseQuarantines({ client }: Project): Promise<void> {
  const { quarantines } = await client.data('{ quarantines { id } }')
  for (const { id } of quarantines) await client.data(RELEASE, { id })
}

const READ_IDS = `{
  journal(first: 1000) { id hash memoryId }
  keys { id name }
  operations(first: 100) { id }
}`

/** Notes what the project has by now. */
export async function noteIds({ client, ids, marker }: Project): Promise<void> {
  const { journal, keys, operations } = await client.data(READ_IDS)
  const add = (to: string[], found: readonly string[]) => {
    const known = new Set(to)
    for (const one of found) if (!known.has(one)) to.push(one)
  }
  add(
    ids.memory,
    // Of a writer in quarantine the kind is withheld.
    journal.flatMap(({ memoryId }: { memoryId: string }) => (memoryId.includes(':') ? [memoryId] : [])),
  )
  add(
    ids.event,
    journal.map(({ id }: { id: string }) => id),
  )
  add(
    ids.hash,
    journal.map(({ hash }: { hash: string }) => hash),
  )
  add(
    ids.operation,
    operations.map(({ id }: { id: string }) => id),
  )
  // Without the key that asks: the project would lose it.
  const others = keys.filter(({ name }: { name: string }) => name !== `key of ${marker}`)
  add(
    ids.key,
    others.map(({ id }: { id: string }) => id),
  )
}
