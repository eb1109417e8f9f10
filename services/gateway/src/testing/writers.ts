import { setTimeout as sleep } from 'node:timers/promises'
import { type TestClient, testClient } from './test-gateway.ts'

const CREATE = `mutation ($input: CreateKeyInput!) { createKey(input: $input) {
  ... on CreatedKey { id key } ... on DaybookError { code message } } }`
const BEGIN = `mutation ($key: ID, $agent: String, $all: Boolean) {
  quarantineWriter(key: $key, agent: $agent, reason: "poisoned", allProjects: $all) {
    __typename ... on QuarantineBegun { id quarantine { keyIds agent beganBy } } ... on DaybookError { code message } } }`
const RELEASE = `mutation ($id: ID!) { releaseQuarantine(id: $id, reason: "checked") {
  __typename ... on QuarantineReleased { id quarantine { releasedBy releaseReason } } ... on DaybookError { code message } } }`
const REMEMBER = `mutation ($input: RememberInput!) { remember(input: $input) {
  __typename ... on Remembered { sequence memory { id version } } ... on DaybookError { code message } } }`
const REVISE = `mutation ($id: ID!, $input: ReviseInput!) { revise(id: $id, input: $input) {
  __typename ... on Revised { sequence memory { id version } } ... on DaybookError { code message } } }`

/** A key of a project with its client. */
export interface TestWriter extends TestClient {
  readonly keyId: string
}

/** Makes a key for a client's project. @param admin a client that may run the whole Daybook */
export async function newWriter(
  admin: TestClient,
  { projectId }: Pick<TestClient, 'projectId'>,
  more: object = {},
): Promise<TestWriter> {
  const input = { name: 'writer', projects: [projectId], scopes: ['READ', 'WRITE'], ...more }
  const { createKey } = await admin.data(CREATE, { input })
  return { ...testClient(admin.url, createKey.key, projectId), keyId: createKey.id }
}

/** Remembers a note. @returns its id */
export async function write(client: TestClient, text: string, fields: object = {}): Promise<string> {
  const { remember } = await client.data(REMEMBER, { input: { content: { note: { text } }, ...fields } })
  if (remember.memory === undefined) throw new Error(JSON.stringify(remember))
  await reached(client, remember.sequence)
  return remember.memory.id
}

/** Revises a memory, and waits until that can be read. */
export async function revise(client: TestClient, id: string, input: object): Promise<void> {
  const { revise: revised } = await client.data(REVISE, { id, input })
  if (revised.memory === undefined) throw new Error(JSON.stringify(revised))
  await reached(client, revised.sequence)
}

/** Waits until the read model has an event, and all vectors. */
export async function reached(client: TestClient, sequence: number): Promise<void> {
  for (;;) {
    const { search } = await client.data(
      'query ($s: Int) { search(query: "whatever", atLeast: $s, mode: SEMANTIC, floor: false) { degraded } }',
      { s: sequence },
    )
    if (search.degraded.length === 0) return
    await sleep(20)
  }
}

/** A moment after everything that is written by now, and before everything that is written from then on. */
export async function momentBetween(): Promise<string> {
  const moment = Date.now() + 1
  // The clock of the machine, as the journal reads it; what is written in the same millisecond counts as before.
  while (Date.now() <= moment) await sleep(1)
  return new Date(moment).toISOString()
}

/** Puts a key or an agent into quarantine. */
export const quarantine = async (by: TestClient, of: object) => (await by.data(BEGIN, of))['quarantineWriter']

/** Ends a quarantine. */
export const release = async (by: TestClient, id: string) =>
  (await by.data(RELEASE, { id }))['releaseQuarantine']
