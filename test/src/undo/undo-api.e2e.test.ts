import { setTimeout as pause } from 'node:timers/promises'
import { startExpiry } from '@daybook/gateway/expiry/start-expiry'
import { type TestClient, testClient } from '@daybook/gateway/testing/test-gateway'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { createMemoryLogger } from '@daybook/runtime/testing/memory-logger'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { type Complained, startComplained } from '../complaints/support/complained.ts'

const FAILURE = '... on DaybookError { code message } ... on ValidationError { field }'
const REMEMBERED = `... on Remembered { memory { id } } ${FAILURE}`

/** What a change answers with, by its mutation. */
const CHANGED = {
  forget: '... on Forgotten { sequence duplicate }',
  restore: '... on Restored { duplicate memory { version expiresAt } }',
  revise: '... on Revised { duplicate memory { version } }',
} as const

const UNDO = `mutation ($filter: MemoryFilter!, $since: DateTime!, $actor: String, $correlationId: String, $dryRun: Boolean) {
  undo(filter: $filter, since: $since, actor: $actor, correlationId: $correlationId, dryRun: $dryRun) {
    __typename
    ... on Undo {
      dryRun changed refused
      changes { memoryId title action happened fromVersion toVersion }
      refusals { title action code reason }
      operation { id type status options }
    }
    ... on DaybookError { code message }
    ... on ValidationError { field }
  }
}`

const OPERATION = 'query ($id: ID!) { operation(id: $id) { status done total result error } }'

describe('what was done can be undone', () => {
  let daybook: Complained
  let ada: TestClient
  let bob: TestClient
  beforeAll(async () => {
    daybook = await startComplained(TEST_DATABASES[0]!)
  })
  afterAll(() => daybook?.stop())
  beforeEach(async () => {
    ada = await clientOf('ada')
    bob = await clientOf('bob', ada.projectId)
  })

  async function clientOf(name: string, projectId?: string): Promise<TestClient> {
    const { database, gateways } = daybook
    const project = projectId ?? (await database.newProject()).projectId
    const key = await asOwner(database, (owner) => createApiKey(owner, project, name, { admin: false }))
    return testClient(gateways[0]!.gateway.url, key, project)
  }

  const cli = (client: TestClient, ...args: string[]) =>
    runCli(args, { DAYBOOK_URL: client.url, DAYBOOK_API_KEY: client.key })

  /** Remembers a note. @returns its id */
  async function note(client: TestClient, text: string, more: object = {}): Promise<string> {
    const input = { content: { note: { text } }, context: 'shop', ...more }
    const query = `mutation ($input: RememberInput!) { remember(input: $input) { ${REMEMBERED} } }`
    return (await client.data(query, { input }))['remember'].memory?.id
  }
  async function change(client: TestClient, mutation: string) {
    const name = /^\w+/u.exec(mutation)?.[0] as keyof typeof CHANGED
    const answer = await client.data(
      `mutation { ${mutation} { ${CHANGED[name] ?? CHANGED.revise} ${FAILURE} } }`,
    )
    return answer[name]
  }

  /** A moment between what was before and what comes. */
  async function between(): Promise<string> {
    await pause(5)
    const now = new Date().toISOString()
    await pause(5)
    return now
  }

  /** Title, version and whether it is there, of all memories of the project; once all is applied. */
  async function states(): Promise<string[]> {
    const journal = (await ada.data('{ journal(first: 1000) { sequence memory { id } } }'))['journal']
    const ids = [...new Set<string>(journal.map((event: { memory: { id: string } }) => event.memory.id))]
    const at = journal.length
    const read = ids.map(
      (id, n) => `m${n}: memory(id: "${id}", atLeast: ${at}) { title importance forgottenAt }`,
    )
    return Object.values(await ada.data(`{ ${read.join(' ')} }`)).map(
      ({ title, importance, forgottenAt }) =>
        `${title} ${importance} ${forgottenAt === null ? 'there' : 'forgotten'}`,
    )
  }

  async function ended(client: TestClient, id: string) {
    for (;;) {
      const { operation } = await client.data(OPERATION, { id })
      if (!['QUEUED', 'RUNNING'].includes(operation.status)) return operation
      await pause(50)
    }
  }

  it('of one key in one context, and the undo itself', async () => {
    const [revised, forgotten] = [await note(ada, 'revised'), await note(ada, 'forgotten')]
    await note(ada, 'restored')
    const restored = await note(ada, 'gone before')
    await change(ada, `forget(id: "${restored}")`)
    const since = await between()
    await change(ada, `revise(id: "${revised}", input: { importance: 9, context: "elsewhere" })`)
    await change(ada, `forget(id: "${forgotten}")`)
    await change(ada, `restore(id: "${restored}")`)
    const both = await note(ada, 'of both')
    await note(ada, 'new')
    await note(bob, 'of bob')
    await note(ada, 'elsewhere', { context: 'elsewhere' })
    await change(bob, `revise(id: "${both}", input: { importance: 1 })`)
    const before = await states()

    const asked = { filter: { context: 'shop' }, actor: 'ada', since }
    const { undo: plan } = await bob.data(UNDO, asked)
    expect(plan).toMatchObject({ dryRun: true, changed: 4, refused: 1, operation: null })
    expect(plan.changes).toMatchObject([
      { title: 'revised', action: 'RESTORE', happened: ['MemoryRevised'], fromVersion: 2, toVersion: 1 },
      { title: 'forgotten', action: 'RESTORE', happened: ['MemoryForgotten'], toVersion: 1 },
      { title: 'gone before', action: 'FORGET', happened: ['MemoryRestored'], toVersion: 2 },
      { title: 'new', action: 'FORGET', happened: ['MemoryRemembered'], toVersion: null },
    ])
    expect(plan.refusals).toEqual([
      {
        title: 'of both',
        action: 'REFUSE',
        code: 'CHANGED_SINCE',
        reason: 'bob changed it since (version 2), which this undo does not cover',
      },
    ])
    expect(await states()).toEqual(before)

    const { undo } = await bob.data(UNDO, { ...asked, dryRun: false })
    expect(undo).toMatchObject({ dryRun: false, changed: 4, operation: { type: 'UNDO' } })
    const { id } = undo.operation
    expect(await ended(bob, id)).toMatchObject({
      status: 'SUCCEEDED',
      done: 4,
      total: 4,
      result: {
        undone: 4,
        unchanged: 0,
        refused: 1,
        refusals: [{ title: 'of both', code: 'CHANGED_SINCE' }],
      },
    })
    expect(await states()).toEqual([
      'revised 5 there',
      'forgotten 5 there',
      'restored 5 there',
      'gone before 5 forgotten',
      'of both 1 there',
      'new 5 forgotten',
      'of bob 5 there',
      'elsewhere 5 there',
    ])
    const { memory } = await ada.data(
      `{ memory(id: "${revised}") { context history { edges { node { type actor correlationId } } } } }`,
    )
    expect(memory.context).toBe('shop')
    expect(memory.history.edges.at(-1).node).toEqual({
      type: 'MemoryRestored',
      actor: 'bob',
      correlationId: id,
    })

    const back = await ada.data(UNDO, { filter: {}, since, correlationId: id, dryRun: false })
    expect((await ended(ada, back['undo'].operation.id)).result).toMatchObject({ undone: 4, refused: 0 })
    expect(await states()).toEqual(before)

    // What belongs to one project is not there for another.
    const other = await clientOf('ada')
    expect((await other.data(OPERATION, { id }))['operation']).toBeNull()
    expect((await other.data('{ operations { id } }'))['operations']).toEqual([])
    const own = (await ada.data('{ operations { id } }'))['operations']
    expect(own.map((one: { id: string }) => one.id)).toEqual([back['undo'].operation.id, id])
    const refused = await other.data(
      `mutation { cancelOperation(id: "${id}") { ... on DaybookError { code } } }`,
    )
    expect(refused['cancelOperation']).toEqual({ code: 'NOT_FOUND' })
  })

  it('is refused where it names nothing, or asks for the future', async () => {
    const since = new Date().toISOString()
    const { undo: nothing } = await ada.data(UNDO, { filter: { includeForgotten: true }, since })
    expect(nothing).toMatchObject({ code: 'VALIDATION', field: 'filter' })
    const { undo: future } = await ada.data(UNDO, { filter: { agent: 'a' }, since: '2999-01-01T00:00:00Z' })
    expect(future).toMatchObject({ code: 'VALIDATION', field: 'since' })
  })

  it('from the command line: it shows what would be done, does it, and says how to take it back', async () => {
    await note(ada, 'a first thing')
    await note(ada, 'a second thing', { agent: 'planner' })
    const shown = await cli(ada, 'undo', '--context', 'shop', '--since', '1h', '--dry-run')
    expect(shown.stderr).toBe('')
    expect(shown.stdout).toMatch(
      /undo\s+memory\s+what happened\s+id\nforget\s+a first thing\s+remembered\s+note:/u,
    )
    expect(shown.stdout).toContain('Memories that change: 2; refused: 0.')
    const asking = await cli(ada, 'undo', '--agent', 'planner', '--since', '1h')
    expect(asking).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') })
    const done = await cli(ada, 'undo', '--agent', 'planner', '--since', '1h', '--yes')
    expect(done.exitCode, done.stderr).toBe(0)
    expect(done.stdout).toContain('Memories undone: 1; as they should be already: 0; refused: 0.')
    const takeBack = /Take it back: {2}daybook (undo --operation \S+)/u.exec(done.stdout)?.[1] ?? ''
    expect(await states()).toEqual(['a first thing 5 there', 'a second thing 5 forgotten'])
    const back = await cli(ada, ...takeBack.split(' '), '--yes', '--json')
    const { operations } = JSON.parse(back.stdout)
    expect(operations).toMatchObject([{ type: 'UNDO', status: 'SUCCEEDED', result: { undone: 1 } }])
    expect(await states()).toEqual(['a first thing 5 there', 'a second thing 5 there'])
  })

  it('one at a time: forget and restore with an idempotency key take effect once', async () => {
    const id = await note(ada, 'once')
    const forget = `forget(id: "${id}", idempotencyKey: "f")`
    const first = await change(ada, forget)
    expect(first).toMatchObject({ duplicate: false })
    const restore = `restore(id: "${id}", idempotencyKey: "r")`
    expect(await change(ada, restore)).toMatchObject({ duplicate: false, memory: { version: 3 } })
    expect(await change(ada, forget)).toEqual({ ...first, duplicate: true })
    expect(await change(ada, restore)).toMatchObject({ duplicate: true, memory: { version: 3 } })
    const another = await change(ada, `restore(id: "${id}", version: 1, idempotencyKey: "f")`)
    expect(another).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
  })

  it('todos and sessions are opened and closed, once each', async () => {
    const remember = async (content: object) => {
      const query = `mutation ($input: RememberInput!) { remember(input: $input) { ${REMEMBERED} } }`
      return (await ada.data(query, { input: { content } }))['remember'].memory.id as string
    }
    const [milk, bread] = [
      await remember({ todo: { description: 'buy milk' } }),
      await remember({ todo: { description: 'buy bread' } }),
    ]
    const session = await remember({ session: { summary: 'wrote tests' } })
    await remember({ session: { summary: 'closed before', status: 'CLOSED' } })
    const open = async () => {
      const at = (await ada.data('{ journal(first: 100) { sequence } }'))['journal'].length
      // The fields of one query do not wait for each other.
      await ada.data(`{ memory(id: "${milk}", atLeast: ${at}) { id } }`)
      const { openTodos, activeSessions } = await ada.data(
        '{ openTodos { edges { node { title } } } activeSessions { edges { node { title } } } }',
      )
      return [...openTodos.edges, ...activeSessions.edges].map(({ node }) => node.title)
    }
    expect(await open()).toEqual(['buy bread', 'buy milk', 'wrote tests'])
    const resolve = `resolveTodo(id: "${milk}", idempotencyKey: "t")`
    expect(await change(ada, resolve)).toMatchObject({ duplicate: false, memory: { version: 2 } })
    expect(await change(ada, `reopenTodo(id: "${milk}")`)).toMatchObject({ memory: { version: 3 } })
    expect(await change(ada, resolve)).toMatchObject({ duplicate: true, memory: { version: 2 } })
    expect(await change(ada, `closeSession(id: "${session}")`)).toMatchObject({ memory: { version: 2 } })
    expect(await open()).toEqual(['buy bread', 'buy milk'])
    expect((await cli(ada, 'todo', 'done', bread)).stdout).toContain('Done: buy bread')
    expect(await open()).toEqual(['buy milk'])
    expect((await cli(ada, 'todo')).stdout).toMatch(/^#\s+what\s+context\s+since\s+id\n1\s+buy milk .*todo:/u)
    expect(await change(ada, `resolveTodo(id: "${session}")`)).toMatchObject({ field: 'id' })
  })

  it('what expires leaves the indexes with an event, once, and can be restored', async () => {
    const [logs, writer] = [createMemoryLogger(), createJournalWriter(() => {})]
    const options = { db: daybook.database.db, writer, logger: logs.logger, lookMs: 100 }
    // Two gateways: one of them does it.
    const expiries = [startExpiry(options), startExpiry(options)]
    const past = await ada.data(`mutation { remember(input: {
      content: { note: { text: "too late" } }, expiresAt: "2020-01-01T00:00:00Z" }) { ${REMEMBERED} } }`)
    expect(past['remember']).toMatchObject({ code: 'VALIDATION', field: 'expiresAt' })
    let id: string | undefined
    // A busy machine may need longer than it has until then.
    for (let milliseconds = 2_000; id === undefined; milliseconds *= 2)
      id = await note(ada, 'a short-lived giraffe', {
        expiresAt: new Date(Date.now() + milliseconds).toISOString(),
      })
    const history = async () =>
      (await ada.data(`{ memory(id: "${id}") { history { edges { node { type sequence } } } } }`))[
        'memory'
      ]?.history.edges.map(({ node }: { node: { type: string } }) => node.type) ?? []
    while ((await history()).length < 2) await pause(50)
    // Who looks later finds nothing to do.
    await startExpiry(options).stop()
    expect(await history()).toEqual(['MemoryRemembered', 'MemoryExpired'])
    const found = async () => {
      const at = (await ada.data('{ journal(first: 100) { sequence } }'))['journal'].length
      const { search } = await ada.data(
        `{ search(query: "giraffe", mode: KEYWORD, atLeast: ${at}) { hits { memory { id } } } }`,
      )
      const { all } = await ada.data(
        '{ all: memories(filter: { includeForgotten: true }) { edges { node { id } } } }',
      )
      return { search, all }
    }
    expect(await found()).toEqual({ search: { hits: [] }, all: { edges: [{ node: { id } }] } })
    const restored = await change(ada, `restore(id: "${id}")`)
    expect(restored).toMatchObject({ memory: { version: 3, expiresAt: null } })
    expect((await found())['search'].hits).toEqual([{ memory: { id } }])
    for (const expiry of expiries) await expiry.stop()
    expect(logs.lines.filter(({ level }) => level === 40)).toEqual([])
  })
})
