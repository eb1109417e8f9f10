import { verifyJournal } from '@daybook/journal/chain/verify-journal'
import { newId } from '@daybook/memory/id'
import { projectScope } from '@daybook/postgres/project-scope'
import { rowsWith as findRows } from '@daybook/postgres/testing/rows-with'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { REMEMBER, type TestClient, useTestGateway } from './testing/test-gateway.ts'

const ERASE = `mutation ($id: ID!) { erase(id: $id) {
  __typename ... on Erased { id sequence contents outOfReach } ... on DaybookError { code message } } }`
const ERASE_MANY = `mutation ($filter: MemoryFilter!, $dryRun: Boolean) { eraseMany(filter: $filter, dryRun: $dryRun) {
  __typename ... on ErasedMany { dryRun memories contents sequence examples { title } } ... on DaybookError { code message } } }`

const note = (text: string, fields: object = {}) => ({ input: { content: { note: { text } }, ...fields } })

describe.each(SERVICE_DATABASES)('erasure on $name', ({ start }) => {
  const suite = useTestGateway(start)

  const rowsWith = (text: string) => findRows(suite.database, text)
  const remember = async (client: TestClient, text: string, fields: object = {}): Promise<string> =>
    (await client.data(REMEMBER, note(text, fields)))['remember'].memory.id
  const searchable = (client: TestClient, word: string) =>
    vi.waitUntil(async () => {
      const { search } = await client.data(
        'query ($q: String!) { search(query: $q, mode: KEYWORD) { degraded hits { memory { id } } } }',
        { q: word },
      )
      return search.hits.length > 0
    })

  test('all versions of a memory are found nowhere afterwards; the journal is proved, and others stay', async () => {
    const client = await suite.running.newClient(true)
    const marker = `zq${newId().slice(-8)}x`
    const id = await remember(client, `the first ${marker}`, {
      labels: [`label-${marker}`],
      idempotencyKey: `once-${newId()}`,
      metadata: { secret: marker },
    })
    const other = await remember(client, 'what stays')
    const shared = await remember(client, 'the same text in two memories')
    const twin = await remember(client, 'the same text in two memories', { context: 'elsewhere' })
    await client.data(
      'mutation ($id: ID!, $text: String!) { revise(id: $id, input: { content: { note: { text: $text } } }) { __typename } }',
      { id, text: `the second ${marker} has another` },
    )
    await searchable(client, marker)
    expect((await rowsWith(marker)).length).toBeGreaterThan(3)

    expect(await client.data(ERASE, { id })).toEqual({
      erase: {
        __typename: 'Erased',
        id,
        sequence: 6,
        contents: 2,
        outOfReach: expect.arrayContaining([expect.stringContaining('backups')]),
      },
    })
    expect(await rowsWith(marker)).toEqual([])
    const { memory, journal, search } = await client.data(
      `query ($id: ID!, $q: String!) {
        memory(id: $id) { id }
        journal { sequence type status actor memory { text } }
        search(query: $q, acrossVersions: true, floor: false) { hits { memory { text } } }
      }`,
      { id, q: marker },
    )
    expect(memory).toBeNull()
    expect(journal.at(-1)).toMatchObject({
      sequence: 6,
      type: 'MemoryErased',
      status: 'ERASED',
      memory: null,
    })
    expect(journal.at(-1).actor).toMatch(/^key-/u)
    expect(JSON.stringify(search)).not.toContain(marker)
    expect(await verifyJournal(projectScope(suite.database.db, client.projectId))).toMatchObject({
      problems: 0,
      erased: 3,
      events: 6,
    })

    // A text that another memory has too keeps its vector.
    await client.data(ERASE, { id: shared })
    const { similar, left } = await client.data(
      `{
        similar(text: "the same text in two memories", topK: 5) { hits { memory { id } } }
        left: memories { edges { node { id } } }
      }`,
    )
    expect(similar.hits.map((hit: { memory: { id: string } }) => hit.memory.id)).toContain(twin)
    expect(left.edges.map((edge: { node: { id: string } }) => edge.node.id).toSorted()).toEqual(
      [other, twin].toSorted(),
    )
  })

  test('nothing brings it back, and it is erased once', async () => {
    const client = await suite.running.newClient(true)
    const key = `key-${newId()}`
    const id = await remember(client, 'to be erased', { idempotencyKey: key })
    await client.data(ERASE, { id })
    expect((await client.data(ERASE, { id }))['erase']).toMatchObject({ code: 'NOT_FOUND' })
    expect((await client.data(ERASE, { id: `note:${newId()}` }))['erase']).toMatchObject({
      code: 'NOT_FOUND',
    })
    for (const change of [
      'restore(id: $id, version: 1)',
      'forget(id: $id)',
      'revise(id: $id, input: { importance: 9 })',
    ])
      expect(
        (
          await client.data(
            `mutation ($id: ID!) { done: ${change} { __typename ... on DaybookError { code } } }`,
            { id },
          )
        )['done'],
      ).toMatchObject({ code: 'NOT_FOUND' })
    // A late retry of the request that wrote it.
    const { body } = await client.send(REMEMBER, note('to be erased', { idempotencyKey: key }))
    expect(body.errors?.[0]).toMatchObject({ extensions: { code: 'NOT_FOUND' } })
    const { undo } = await client.data(`mutation {
      undo(filter: {}, since: "2000-01-01T00:00:00Z", everything: true, dryRun: true) {
        ... on Undo { changed refused refusals { code reason } } } }`)
    expect(JSON.stringify(undo)).not.toContain('to be erased')
  })

  test('eraseMany shows first, takes forgotten memories and all parts of documents, and refuses to erase everything', async () => {
    const client = await suite.running.newClient(true)
    const context = `customer-${newId().slice(-6)}`
    await remember(client, 'one of a customer', { context })
    const forgotten = await remember(client, 'one that was forgotten', { context })
    await client.data('mutation ($id: ID!) { forget(id: $id) { __typename } }', { id: forgotten })
    const page = `${'a page about ottersuit. '.repeat(20)}\n\n`
    await client.data(
      'mutation ($text: String!, $context: String!) { indexDocument(id: "long", content: $text, context: $context) { __typename } }',
      { text: page.repeat(250), context },
    )
    const elsewhere = await remember(client, 'one of nobody')
    const filter = { context }
    const shown = (await client.data(ERASE_MANY, { filter }))['eraseMany']
    expect(shown).toMatchObject({ dryRun: true, memories: 4, contents: 0, sequence: null })
    expect(shown.examples).toHaveLength(4)
    const done = (await client.data(ERASE_MANY, { filter, dryRun: false }))['eraseMany']
    expect(done).toMatchObject({ dryRun: false, memories: 4, contents: 5, examples: [] })
    expect(await rowsWith('ottersuit')).toEqual([])
    expect((await client.data(ERASE_MANY, { filter }))['eraseMany']).toMatchObject({ memories: 0 })
    expect(
      (await client.data('query ($id: ID!) { memory(id: $id) { text } }', { id: elsewhere }))['memory'],
    ).toEqual({
      text: 'one of nobody',
    })
    // An empty list, and the least importance, leave out nothing either.
    for (const nothing of [
      {},
      { includeForgotten: true },
      { labelsAll: [] },
      { kinds: [] },
      { minImportance: 0 },
    ])
      expect((await client.data(ERASE_MANY, { filter: nothing, dryRun: false }))['eraseMany']).toMatchObject({
        code: 'VALIDATION',
        message: expect.stringContaining('names nothing'),
      })
  })

  test('says so while search does not know the journal yet, and erases nothing; then all parts', async () => {
    const client = await suite.running.newClient(true)
    const page = `${'a page about kittiwakes. '.repeat(20)}\n\n`
    const { indexDocument } = await client.data(
      `mutation ($text: String!) { indexDocument(id: "parts", content: $text) { ... on Remembered { memory { id } } } }`,
      { text: page.repeat(250) },
    )
    const { id } = indexDocument.memory
    await suite.running.stopProjector()
    // Parts that search has not seen would stay.
    await client.data(
      `mutation ($text: String!) { indexDocument(id: "parts", content: $text) { __typename } }`,
      { text: page.repeat(400) },
    )
    suite.running.waitAtMost(50)
    const { body } = await client.send(ERASE, { id })
    expect(body.errors?.[0]).toMatchObject({ extensions: { code: 'BEHIND' } })
    suite.running.waitAtMost()
    await suite.running.startProjector()
    expect((await client.data(ERASE, { id }))['erase']).toMatchObject({ __typename: 'Erased' })
    expect(await rowsWith('kittiwakes')).toEqual([])
  })

  test('makes the project smaller, also one that is full', async () => {
    const client = await suite.running.newClient(true)
    const usage = async () => {
      const { projects } = await client.data('{ projects { id memories bytes } }')
      const { memories, bytes } = projects.find((project: { id: string }) => project.id === client.projectId)
      return { memories, bytes }
    }
    const before = await usage()
    const live = await remember(client, 'a memory that takes room')
    const forgotten = await remember(client, 'and one that was forgotten')
    await client.data('mutation ($id: ID!) { forget(id: $id) { __typename } }', { id: forgotten })
    expect(await usage()).toMatchObject({ memories: 1 })
    await client.data(
      'mutation ($id: ID!) { setProjectLimits(id: $id, limits: { bytes: 1, memories: 0 }) { __typename } }',
      { id: client.projectId },
    )
    for (const id of [live, forgotten])
      expect((await client.data(ERASE, { id }))['erase']).toMatchObject({ __typename: 'Erased' })
    expect(await usage()).toEqual(before)
  })

  test('another project’s memory is not found, and the owner’s function takes nothing without a trace', async () => {
    const client = await suite.running.newClient(true)
    const id = await remember(client, 'of this project')
    const other = await suite.running.newClient(true)
    expect((await other.data(ERASE, { id }))['erase']).toMatchObject({ code: 'NOT_FOUND' })
    const writer = suite.client
    const { body } = await writer.send(ERASE, { id })
    expect(body.errors?.[0]).toMatchObject({ extensions: { code: 'FORBIDDEN' } })
    const plain = id.slice(id.indexOf(':') + 1)
    const call = (bound: string, project: string) =>
      sql`select erase_memories(${project}::uuid, ${[plain]}::uuid[])`.execute(
        projectScope(suite.database.db, bound).db,
      )
    await expect(call(client.projectId, client.projectId)).rejects.toMatchObject({ code: '42501' })
    await expect(call(other.projectId, client.projectId)).rejects.toMatchObject({ code: '42501' })
    const read = async () =>
      (await client.data('query ($id: ID!) { memory(id: $id) { text } }', { id }))['memory']
    // A busy machine applies it later.
    await vi.waitFor(async () => expect(await read()).toEqual({ text: 'of this project' }))
  })
})
