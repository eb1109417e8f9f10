import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { schema } from '@daybook/gateway/schema/index'
import { startTestGateway, type TestClient, type TestGateway } from '@daybook/gateway/testing/test-gateway'
import { startTestIssuer } from '@daybook/gateway/testing/test-issuer'
import { newId } from '@daybook/memory/id'
import type { TestDatabase } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import type { GraphQLInputObjectType } from 'graphql'
import { type Asked, type Asker, ask, jsonIn, TRANSPORTS, type Transport } from './ask.ts'
import { foreignIn, type Leak, namesIn } from './leaks.ts'
import { COMMON, makeKey, makeProject, newWord, noteIds, type Project } from './project.ts'
import { type Chooser, type RootField, rootFields, variablesOf } from './schema-operations.ts'

/** Somebody with a key. */
export interface Reader extends Asker {
  readonly name: string
  /** The project that its requests are about. */
  readonly home: Project
  /** Those that its key may use. */
  readonly readable: readonly Project[]
}

/** Several projects in one gateway, and who asks it. */
export interface World {
  readonly running: TestGateway
  /** Runs the whole Daybook. */
  readonly admin: TestClient
  readonly projects: readonly Project[]
  readonly readers: readonly Reader[]
  readonly fields: readonly RootField[]
  /** What was shown to somebody whom it does not belong to. */
  readonly leaks: Leak[]
  /** The ids and names that each project was given to store, by its id. */
  readonly stored: ReadonlyMap<string, Set<string>>
  /** The fields whose answer had data, or was refused for want of a scope. */
  readonly driven: Set<string>
  /** What the embedder was given so far. */
  readonly embedded: readonly string[]
  stop(): Promise<void>
}

/** How many projects there are. */
const PROJECTS = 3

/** Starts a gateway with three projects, each with a key of its own, a key of the first two, and an access token of the first. */
export async function openWorld(database: TestDatabase): Promise<World> {
  const embedded: string[] = []
  const embedder = createHashEmbedder({
    dimension: 64,
    tokenBits: true,
    beforeEmbed: async (texts) => void embedded.push(...texts),
  })
  const issuer = await startTestIssuer()
  const running = await startTestGateway(database, embedder, {
    environment: {
      ...issuer.environment,
      DAYBOOK_EMBEDDER: 'test-hash/64/token-bits-1',
      // The test asks more than a client may.
      DAYBOOK_COST_PER_SECOND: '100000000',
      DAYBOOK_COST_SAVED: '100000000',
      DAYBOOK_REQUESTS_PER_KEY: '64',
    },
  })
  const admin = await running.newClient(true)
  const projects: Project[] = []
  for (let index = 0; index < PROJECTS; index++) projects.push(await makeProject(admin))
  const [first, second] = projects as [Project, Project]
  const both = await makeKey(admin, [first.id, second.id], 'a key of two projects')
  const readers: Reader[] = projects.map((home) => ({
    name: `the key of ${home.marker}`,
    url: admin.url,
    key: home.client.key,
    home,
    readable: [home],
  }))
  readers.push({
    name: 'an access token',
    url: admin.url,
    // A long run lasts longer than the usual token.
    key: await issuer.token({ daybook_projects: first.name, exp: Math.floor(Date.now() / 1_000) + 86_400 }),
    home: first,
    readable: [first],
  })
  readers.push({
    name: 'a key of two projects',
    url: admin.url,
    key: both.key,
    project: first.name,
    home: first,
    readable: [first, second],
  })
  const world: World = {
    running,
    admin,
    projects,
    readers,
    fields: rootFields(schema),
    leaks: [],
    stored: new Map(projects.map(({ id }) => [id, new Set()])),
    driven: new Set(),
    embedded,
    async stop() {
      await running.stop()
      await issuer.stop()
    },
  }
  for (const project of projects) await fill(project)
  // Made under a common name, so that it can be asked for.
  for (const { client } of projects) {
    const input = { name: COMMON.keyName, scopes: ['READ'] }
    await client.data('mutation ($input: CreateKeyInput!) { createKey(input: $input) { __typename } }', {
      input,
    })
    // Nobody works on it, so that it stays.
    await client.data(
      'mutation ($since: DateTime!) { undo(since: $since, filter: { context: "none" }, dryRun: false) { __typename } }',
      { since: new Date(Date.now() - 1_000).toISOString() },
    )
  }
  for (const project of projects) await settle(project)
  return world
}

const REMEMBER_MANY = `mutation ($inputs: [RememberInput!]!) {
  rememberMany(inputs: $inputs) { __typename ... on Remembered { sequence } ... on DaybookError { message } }
}`

/**
 * Writes every kind twice into a project: once under names that all projects share, once under its own. Every text
 * has the project's marker, but for the names that are shared.
 */
export async function fill(project: Project, keys: string = COMMON.idempotencyKey): Promise<void> {
  const { client, marker } = project
  const content = schema.getType('MemoryContentInput') as GraphQLInputObjectType
  const inputs = Object.keys(content.getFields()).flatMap((kind) =>
    [true, false].map((shared) => {
      const chooser: Chooser = {
        pick: (among) => among[0] as never,
        maybe: (path) => !path.includes('expiresAt') && !path.includes('resolvedAt'),
        text: (_, path) =>
          shared && KEY_FIELDS.has(path.at(-1) ?? '')
            ? COMMON.key
            : `${COMMON.words.join(' ')} ${path.at(-1)} ${newId().slice(0, 13)} ${marker}`,
      }
      const fields = content.getFields()[kind]
      const value = variablesOf(fields === undefined ? [] : [fields as never], {
        ...chooser,
        maybe: (path) => path.length === 1 || chooser.maybe(path),
      })
      return {
        content: value,
        labels: [COMMON.label, `label ${marker}`],
        categories: ['person', 'emotion', 'interest', 'event', `category ${marker}`],
        context: shared ? COMMON.context : `context ${marker}`,
        agent: shared ? COMMON.agent : `agent ${marker}`,
        metadata: { of: marker },
        idempotencyKey: shared ? `${keys} ${kind}` : `${kind} ${newId()}`,
      }
    }),
  )
  const { body } = await client.send(REMEMBER_MANY, { inputs })
  // What was written under one of the keys may have been erased by a random operation.
  if (JSON.stringify(body.errors ?? '').includes('was erased') && keys === COMMON.idempotencyKey)
    return fill(project, `${keys} ${newId()}`)
  if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors))
  const rememberMany = body.data?.['rememberMany'] as readonly { readonly __typename: string }[]
  const refused = rememberMany.filter((one) => one.__typename === 'ValidationError')
  if (refused.length > 0) throw new Error(`could not fill a project: ${JSON.stringify(refused[0])}`)
}

/** The fields by which memories are looked up exactly. */
const KEY_FIELDS = new Set(['key', 'name', 'topic', 'externalId', 'id', 'type'])

/** Waits until searches see what the project has written, and notes its ids. */
export async function settle(project: Project): Promise<void> {
  for (;;) {
    const { projections } = await project.client.data('{ projections { lag pendingEmbeddings } }')
    if (
      projections.every(
        (one: { lag: number; pendingEmbeddings: number }) => one.lag === 0 && one.pendingEmbeddings === 0,
      )
    )
      return noteIds(project)
    await pause(20)
  }
}

/** What is there to choose from when an argument wants a text. */
export function textsFor(
  world: World,
  { home }: Reader,
  field: string,
  [type, path]: readonly [type: string, path: readonly string[]],
): readonly string[] {
  const name = path.at(-1) ?? ''
  const others = world.projects.filter((one) => one !== home)
  const ids = (of: keyof Project['ids']) => [
    ...home.ids[of].slice(-3),
    ...others.flatMap((one) => one.ids[of].slice(-2)),
    newId(),
  ]
  const projects = [
    home.name,
    home.id,
    ...others.flatMap((one) => [one.id, one.name]),
    newId(),
    `project ${newWord()}`,
  ]
  if (/projects?$/iu.test(path[0] ?? '') || /^projects?$/u.test(name)) return projects
  if (/hash/iu.test(name)) return ids('hash')
  if (name === 'correlationId') return [COMMON.correlationId, ...ids('operation')]
  if (name === 'actor') return [COMMON.keyName, `key of ${home.marker}`]
  if (path.length === 1 && name === 'language') return ['english', 'simple']
  if (name === 'after') return ['0', '1', '5']
  if (name === 'from') return [`1:${ids('hash')[0] ?? ''}`]
  if (type === 'ID' && /operation/iu.test(field)) return ids('operation')
  if (type === 'ID' && /key/iu.test(field)) return ids('key')
  if (type === 'ID')
    return [...ids('memory'), ...ids('memory'), ...ids('key'), ...ids('operation'), ...projects]
  if (name === 'context') return [COMMON.context, `context ${home.marker}`]
  if (name === 'agent') return [COMMON.agent, `agent ${home.marker}`]
  if (/label/u.test(name)) return [COMMON.label, `label ${home.marker}`]
  if (name === 'categories') return ['person', 'emotion', 'event', `category ${home.marker}`]
  if (name === 'idempotencyKey')
    return [`${COMMON.idempotencyKey} note`, `${COMMON.idempotencyKey} ${newId()}`]
  if (KEY_FIELDS.has(name)) return [COMMON.key, `${COMMON.words.join(' ')} ${name} ${home.marker}`]
  return [`${COMMON.words[0]} ${COMMON.words[1]}`, `${COMMON.words.join(' ')} ${home.marker}`, COMMON.key]
}

/** Sends an operation, notes what it drove and what it showed of others. @returns the answer's JSON */
export async function askField(
  world: World,
  reader: Reader,
  field: RootField & Pick<Asked, 'listenMs'>,
  variables: Readonly<Record<string, unknown>>,
  transport: Transport = 'POST',
): Promise<ReturnType<typeof jsonIn>> {
  if (field.kind === 'mutation')
    for (const name of namesIn(JSON.stringify(variables))) world.stored.get(reader.home.id)?.add(name)
  const answer = await ask(reader, transport, { ...field, variables })
  const json = jsonIn(answer)
  // Else it would be unlike every other answer, and nobody would know why.
  if (json === null && transport === 'POST')
    throw new Error(`an answer without JSON to ${field.name}: ${answer.slice(0, 1_000)}`)
  look(world, reader, `${field.name} ${JSON.stringify(variables)} over ${transport}`, answer)
  const codes = json?.errors?.map(({ extensions }) => String(extensions?.['code'])) ?? []
  const data = (json?.data as Record<string, unknown> | undefined)?.[field.name]
  if ((json !== null && codes.length === 0 && data !== undefined) || codes.includes('FORBIDDEN'))
    world.driven.add(`${field.kind} ${field.name}`)
  return json
}

/** Notes what a text shows of projects that its reader may not use. */
export function look(world: World, reader: Reader, request: string, answer: string, sent = request): void {
  const known = reader.readable.flatMap(({ id }) => [...(world.stored.get(id) ?? [])])
  const found = foreignIn(answer, new Set([...namesIn(sent), ...known]), reader.readable, world.projects)
  if (found !== null) world.leaks.push({ who: reader.name, request, found })
}

/** Chooses a reader's arguments of a field. */
export function chooserFor(
  world: World,
  reader: Reader,
  field: RootField,
  pick: Chooser['pick'],
  maybe: (path: readonly string[]) => boolean,
): Chooser {
  return { pick, maybe, text: (type, path) => pick(textsFor(world, reader, field.name, [type, path])) }
}

/** The transports that suit a kind of operation. */
export const transportsOf = (kind: RootField['kind']): readonly Transport[] =>
  kind === 'subscription' ? (['SSE', 'GET', 'WebSocket'] as const) : TRANSPORTS
