import { type Daemon, startDaemon } from '@daybook/daemon/start-daemon'
import { createShutdown } from '@daybook/process/run-process'
import { pause } from '@daybook/runtime/backoff'
import { readConfig } from '@daybook/runtime/config'
import { silentLogger } from '@daybook/runtime/logger'
import { ALWAYS_ACTIVE } from '@daybook/runtime/loop'
import { startTypesenseDouble } from '@daybook/typesense-double/start-typesense-double'
import { askGraphQL, dataOf } from '../support/graphql.ts'
import { subscribe } from '../support/subscribe.ts'

/** A text with more words than a posting can count. */
const LONG_TEXT = Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(' ')

// biome-ignore format: a list
const REMEMBERED = [
  { content: { note: { text: 'Mary: The auth service signs tokens with a key of its own.' } }, context: 'auth', idempotencyKey: 'one' },
  { content: { note: { text: 'The gateway checks tokens, for a distinction without a difference.' } }, context: 'auth' },
  { content: { note: { text: 'The key is changed once a month.' } }, context: 'auth' },
  { content: { insight: { key: 'tokens', content: 'Tokens end after an hour.' } } },
  { content: { stash: { name: 'auth-flow', summary: 'The login of users, by xylophom or xylophor.' } } },
  { content: { document: { title: 'Long', content: LONG_TEXT } } },
]

const SEARCHES = `query ($engine: SearchEngine!, $atLeast: Int!, $atLeastHash: String!) {
  phrase: search(query: "\\"signs tokens\\" key -month", engine: $engine, atLeast: $atLeast, atLeastHash: $atLeastHash) { ...hits }
  typos: search(query: "what did Mary say of xylophon and word17", engine: $engine) { ...hits }
  byWords: search(query: "what did Mary say of tokens", engine: $engine, mode: KEYWORD) { ...hits }
  moved: search(query: "tokens", engine: $engine, weights: { decay: 1, importance: 1, recency: 1 }) { ...hits }
  ofKind: search(query: "our notes", engine: $engine) { ...hits }
  inContext: search(query: "tokens", engine: $engine, filter: { context: "auth", includeForgotten: true }) { ...hits }
}
fragment hits on SearchResult { hits { snippet memory { id accessCount } } }`

const READS = `query ($id: ID!) {
  memory(id: $id) { history { edges { node { changed } } } }
  memories(filter: { includeForgotten: true }) { edges { node { id part { parts { id } } } } }
  memoriesByPrefix(prefix: $id) { id }
  pop(name: "auth-flow") { hits { score } }
  recall(key: "tokens") { hits { score } }
  unknownKey: recall(key: "nothing") { message }
  friends { name }
  panicAttacks { id }
  recentEvents { id }
  language { project language available }
  searchByPerson(name: "Mary") { hits { score } }
  searchByEmotion(emotion: "calm") { hits { score } }
  facets { labels { value count } }
  growth { memories }
  suspected { edges { cursor } }
  journal { hash changed }
  projections { name status lag pendingEmbeddings }
  generations { generation lag bytes }
  parkedEvents(projection: PGVECTOR) { sequence }
  operations(active: true) { id }
  checks { name status message }
  system { databaseBytes memories events queuedTexts }
}`

const PROJECTS = `mutation {
  createProject(name: "made", limits: { memories: 10, queuedTexts: 10 }) { __typename }
  renameProject(id: "made", name: "renamed") { __typename }
  setProjectLimits(id: "renamed", limits: { bytes: 1e9 }) { __typename }
  createKey(input: { name: "a", projects: ["default"], scopes: [READ, WRITE] }) { ... on CreatedKey { id } }
}`

const KEYS = `mutation ($id: ID!) {
  rotateKey(id: $id) { __typename }
  revokeKey(id: $id) { __typename }
}`

const TRUST = `mutation ($id: ID!) {
  setKeyTrust(id: $id, trust: LOW) { __typename }
  quarantineWriter(key: $id, reason: "rows") { ... on QuarantineBegun { quarantine { memories } } }
}`

const WRITERS = `{
  keys { id trust }
  quarantines(released: true) { id keyIds agent memories beganAt project { id } }
  memories(filter: { minTrust: HIGH }) { edges { node { trust writtenBy { keyId trust } quarantine { since } } } }
  normal: memories(filter: { minTrust: NORMAL }) { edges { node { trust } } }
}`

const RELEASE = 'mutation ($id: ID!) { releaseQuarantine(id: $id) { __typename } }'

const UNDO = 'mutation { undo(filter: { context: "auth" }, since: "2026-01-01T00:00:00Z") { __typename } }'

const PAST = `query ($id: ID!, $asOf: DateTime!) {
  memory(id: $id, asOf: $asOf) { id }
  memories(asOf: $asOf) { edges { node { id } } }
  then: search(query: "tokens", asOf: $asOf) { hits { score } }
  ever: search(query: "Mary signs a key", acrossVersions: true) { hits { version } }
  diff(id: $id, from: 1) { to }
}`

/**
 * Uses an embedded daemon in this process, with a double of Typesense, as people and operators do: remembers,
 * searches, lists, verifies, rebuilds, exports, imports.
 */
export async function useDaemon(dataDir: string): Promise<void> {
  const shutdown = createShutdown()
  try {
    const typesense = await startTypesenseDouble({ apiKey: 'key-of-the-double' })
    shutdown.add(typesense.stop)
    const config = readConfig({
      DAYBOOK_DATA_DIR: dataDir,
      DAYBOOK_PORT: '0',
      DAYBOOK_EMBEDDER: 'test-hash/64/token-bits-1',
      DAYBOOK_SELF_CHECK: '3s',
      TYPESENSE_URL: typesense.url,
      DAYBOOK_PROJECT_METRICS: 'on',
      TYPESENSE_API_KEY: typesense.apiKey,
    })
    const daemon = await startDaemon(config, {
      logger: silentLogger,
      progress: () => {},
      shutdown,
      activity: ALWAYS_ACTIVE,
    })
    await read(daemon, await write(daemon))
    for (const projection of ['PGVECTOR', 'TYPESENSE']) await operate(daemon, projection)
    await administer(daemon)
    await moveJournal(daemon)
    await searchMany(daemon)
    await askStanding(daemon)
  } finally {
    await shutdown.run()
  }
}

/** Asks a standing question, until it is told of something. */
async function askStanding(daemon: Daemon): Promise<void> {
  const leaving = new AbortController()
  const query = 'subscription { memoryMatched(query: "lantern", minScore: 0) { score } }'
  const told = subscribe(daemon, { query, variables: {} }, leaving.signal).next()
  const ended = told.then(() => leaving.abort())
  while (!leaving.signal.aborted) {
    await ask(
      daemon,
      'mutation { remember(input: { content: { note: { text: "a lantern" } } }) { __typename } }',
    )
    await pause(100)
  }
  await ended
}

/** An event's place in the journal, and its memory. */
interface Written {
  readonly sequence: number
  readonly hash: string
  readonly memory: { readonly id: string }
}

/** Makes projects and keys, and limits the project so that its waiting texts are counted. */
async function administer(daemon: Daemon): Promise<void> {
  const { createKey } = await ask<{ createKey: { id: string } }>(daemon, PROJECTS)
  await ask(daemon, TRUST, createKey)
  await ask(daemon, KEYS, createKey)
  await ask(
    daemon,
    'mutation { setProjectLimits(id: "default", limits: { queuedTexts: 1000000 }) { __typename } }',
  )
  const { quarantines } = await ask<{ quarantines: { id: string }[] }>(daemon, WRITERS)
  for (const { id } of quarantines) await ask(daemon, RELEASE, { id })
  await ask(daemon, '{ keys(project: "default") { id projects { id memories bytes } } }')
  await deleteProject(daemon)
  const headers = { authorization: `Bearer ${daemon.apiKey}`, 'x-daybook-project': 'default' }
  await fetch(`${daemon.url}/graphql?query={__typename}`, { headers })
}

/** Deletes a project with a memory, and waits until the removal looks a second time. */
async function deleteProject(daemon: Daemon): Promise<void> {
  await ask(daemon, 'mutation { createProject(name: "gone") { __typename } }')
  const { createKey } = await ask<{ createKey: { key: string } }>(
    daemon,
    'mutation { createKey(input: { name: "b", projects: ["gone"], scopes: [WRITE] }) { ... on CreatedKey { key } } }',
  )
  const query = 'mutation { remember(input: { content: { note: { text: "gone" } } }) { __typename } }'
  dataOf(await askGraphQL({ url: daemon.url, apiKey: createKey.key }, { query }))
  await ask(daemon, 'mutation { deleteProject(id: "gone", confirm: "gone") { __typename } }')
  for (let isWaiting = false; !isWaiting; await pause(50)) {
    const { deletedProjects } = await ask<{
      deletedProjects: { finishedAt: string | null; operation: { error: string | null } | null }[]
    }>(daemon, '{ deletedProjects { finishedAt operation { error } } }')
    const [gone] = deletedProjects
    isWaiting = gone?.operation?.error != null || gone?.finishedAt != null
  }
}

async function ask<Data>(daemon: Daemon, query: string, variables = {}): Promise<Data> {
  return dataOf(await askGraphQL<Data>(daemon, { query, variables }))
}

const REMEMBER_MANY = `mutation ($inputs: [RememberInput!]!) {
  rememberMany(inputs: $inputs) { ... on Remembered { sequence hash memory { id } } }
}`

interface RememberedMany {
  readonly rememberMany: readonly Written[]
}

/** Longer than a text may be, so it becomes several documents. */
const LONGER_TEXT = 'Each part of a long document is a memory. '.repeat(2_000)

const INDEX = `mutation ($content: String!) {
  indexDocument(id: "long.md", content: $content) { __typename }
}`

async function write(daemon: Daemon): Promise<Written> {
  await ask(daemon, INDEX, { content: LONGER_TEXT })
  await ask(daemon, INDEX.replace('long.md', 'erased.md'), { content: LONGER_TEXT })
  const { indexed } = await ask<{ indexed: Written }>(
    daemon,
    'mutation { indexed: indexDocument(id: "erased.md", content: "a page") { ... on Remembered { sequence hash memory { id } } } }',
  )
  await ask(daemon, 'query ($id: ID!, $atLeast: Int) { memory(id: $id, atLeast: $atLeast) { id } }', {
    id: indexed.memory.id,
    atLeast: indexed.sequence,
  })
  // No such event: the answer is an error that names the journal's end.
  await askGraphQL(daemon, { query: '{ search(query: "tokens", atLeast: 999999) { sequence } }' })
  await ask(daemon, 'mutation ($id: ID!) { erase(id: $id) { __typename } }', { id: indexed.memory.id })
  await ask(daemon, 'mutation { eraseMany(filter: { context: "nowhere" }) { __typename } }')
  const { rememberMany } = await ask<RememberedMany>(daemon, REMEMBER_MANY, { inputs: REMEMBERED })
  const [first, second] = rememberMany.map(({ memory }) => memory.id)
  // What is changed before it is applied takes no word out of the index.
  await ask(daemon, 'query ($id: ID!, $atLeast: Int) { memory(id: $id, atLeast: $atLeast) { id } }', {
    id: first,
    atLeast: rememberMany.at(-1)?.sequence,
  })
  const { forget } = await ask<{ forget: Written }>(
    daemon,
    `mutation ($again: RememberInput!, $first: ID!, $second: ID!) {
      remember(input: $again) { ... on Remembered { duplicate sameText } }
      revise(id: $first, input: { content: { note: { text: "Mary: The auth service signs tokens with its own key." } } }) { __typename }
      restore(id: $first, version: 1) { __typename }
      forget(id: $second) { ... on Forgotten { sequence hash memory { id } } }
    }`,
    { again: REMEMBERED[0], first, second },
  )
  return forget
}

async function read(daemon: Daemon, { sequence, hash, memory }: Written): Promise<void> {
  for (const engine of ['POSTGRES', 'TYPESENSE'])
    await ask(daemon, SEARCHES, { engine, atLeast: sequence, atLeastHash: hash })
  await ask(daemon, READS, { id: memory.id })
  await ask(daemon, UNDO)
  await ask(daemon, PAST, { id: memory.id, asOf: new Date(Date.now() - 1).toISOString() })
  await (await fetch(`${daemon.url}/metrics`)).text()
}

async function operate(daemon: Daemon, projection: string): Promise<void> {
  const on = `projection: ${projection}`
  for (const operation of [
    `verify(${on}, repair: true)`,
    `backfill(${on})`,
    `reindex(${on}, kinds: [NOTE])`,
    `reindex(${on}, model: "test-hash/32")`,
    `retryParked(${on})`,
    `replay(${on}, from: 1)`,
    'verifyJournal',
    `verify(${on}, incremental: true)`,
  ]) {
    await run(daemon, operation)
    // A new event for the next operation.
    await ask(daemon, 'mutation { remember(input: { content: { note: { text: "More." } } }) { __typename } }')
  }
  await ask(daemon, `mutation { rollback(${on}) { __typename } }`)
  await run(daemon, 'mapMemories')
  await ask(daemon, '{ memoryMap { problem made { points { ids } } } }')
}

/** Asks for an operation and waits until it has succeeded. */
async function run(daemon: Daemon, operation: string): Promise<void> {
  const { begun } = await ask<{ begun: { id: string } }>(
    daemon,
    `mutation { begun: ${operation} { ... on Operation { id } ... on OperationRefusedError { message } } }`,
  )
  for (let status = 'QUEUED'; status !== 'SUCCEEDED'; await pause(50)) {
    const answer = await ask<{ operation: { status: string; error: string | null } }>(
      daemon,
      'query ($id: ID!) { operation(id: $id) { status error } }',
      begun,
    )
    status = answer.operation.status
    if (status === 'FAILED') throw new Error(`${operation}: ${answer.operation.error}`)
  }
}

async function moveJournal({ url, apiKey }: Daemon): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const exported = await (await fetch(`${url}/journal/export`, { headers })).text()
  await (await fetch(`${url}/journal/import`, { method: 'POST', headers, body: exported })).text()
}

/** Searches with a filter that none of the thousand best memories passes, which takes another query. */
async function searchMany(daemon: Daemon): Promise<void> {
  let last: Written | undefined
  for (let batch = 0; batch < 3; batch += 1) {
    const inputs = Array.from({ length: 400 }, () => ({ content: { note: { text: 'platypus' } } }))
    last = (await ask<RememberedMany>(daemon, REMEMBER_MANY, { inputs })).rememberMany.at(-1)
  }
  // A busy machine indexes them later than a search waits for them, and says so.
  for (let degraded = ['not asked yet']; degraded.length > 0; ) {
    const { search } = await ask<{ search: { degraded: string[] } }>(
      daemon,
      'query ($atLeast: Int) { search(query: "platypus", engine: POSTGRES, atLeast: $atLeast, filter: { minImportance: 9 }) { degraded hits { score } } }',
      { atLeast: last?.sequence },
    )
    degraded = search.degraded
  }
  // Equal texts are one hit.
  await ask(daemon, '{ search(query: "platypus", engine: POSTGRES) { hits { sameText } } }')
}
