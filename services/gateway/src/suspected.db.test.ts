import { SERVICE_DATABASES, type TestDatabaseKind } from '@daybook/postgres/testing/test-database'
import { expect, test } from 'vitest'
import { type TestClient, useTestGateway } from './testing/test-gateway.ts'
import { newWriter, quarantine, reached, write } from './testing/writers.ts'

// Which pairs are suspected, on both databases: libs/search/src/suspected. Here, what the API says.
const [{ start }] = SERVICE_DATABASES as [TestDatabaseKind]
const suite = useTestGateway(start)

const PORT = (port: number) => `The gateway of the web shop listens on port ${port}.`
const suspected = async (variables: object = {}, client: TestClient = suite.client) =>
  (
    await client.data(
      `query ($kind: Suspicion, $filter: MemoryFilter, $first: Int, $after: String) {
        suspected(kind: $kind, filter: $filter, first: $first, after: $after) {
          edges { cursor node { kind similarity differences { older newer } older { id } newer { id } } }
          pageInfo { hasNextPage endCursor }
        } }`,
      variables,
    )
  )['suspected']
const settle = async (as: string, older: string, newer: string, client: TestClient = suite.client) => {
  const { settle: settled } = await client.data(
    `mutation ($older: ID!, $newer: ID!, $as: Settlement!) { settle(older: $older, newer: $newer, as: $as) {
      __typename
      ... on Settled {
        events sequence hash since correlationId
        older { version forgottenAt } newer { version labels metadata supersedes { id } }
      }
      ... on DaybookError { code message } ... on ValidationError { field } } }`,
    { as, older, newer },
  )
  if (settled.sequence !== undefined) await reached(client, settled.sequence)
  return settled
}
const undo = async ({ since, correlationId }: { since: string; correlationId: string }) => {
  const { undo: undone } = await suite.client.data(
    `mutation ($since: DateTime!, $id: String) { undo(filter: {}, since: $since, correlationId: $id) {
      ... on Undo { changed refused changes { memoryId action toVersion } } ... on DaybookError { message } } }`,
    { since, id: correlationId },
  )
  return undone
}
const pair = async (): Promise<[string, string]> => [
  await write(suite.client, PORT(8080), { labels: ['old'] }),
  await write(suite.client, PORT(8443), { labels: ['new'] }),
]

test('suspected pairs are listed in pages, with what differs', async () => {
  const [older, newer] = await pair()
  const answer = await suspected()
  expect(answer).toMatchObject({
    edges: [
      {
        node: {
          kind: 'CONTRADICTS',
          differences: [{ older: '8080', newer: '8443' }],
          older: { id: older },
          newer: { id: newer },
        },
      },
    ],
    pageInfo: { hasNextPage: false },
  })
  expect((await suspected({ kind: 'DUPLICATE' })).edges).toEqual([])
  expect((await suspected({ filter: { context: 'elsewhere' } })).edges).toEqual([])
  await write(suite.client, PORT(9000))
  const page = await suspected({ first: 1 })
  expect(page).toMatchObject({
    edges: [{ cursor: page.pageInfo.endCursor }],
    pageInfo: { hasNextPage: true },
  })
  const rest = await suspected({ after: page.pageInfo.endCursor })
  expect(rest.edges).toHaveLength(2)
  for (const variables of [{ first: 0 }, { after: 'x' }, { after: '1.2.3' }]) {
    const { body } = await suite.client.send(
      'query ($first: Int, $after: String) { suspected(first: $first, after: $after) { edges { cursor } } }',
      variables,
    )
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION',
      field: Object.keys(variables)[0],
    })
  }
})

test.each([
  ['SUPERSEDE', 1, { newer: { version: 2 }, older: { version: 1, forgottenAt: null } }],
  ['KEEP_BOTH', 1, { newer: { version: 2 }, older: { version: 1, forgottenAt: null } }],
  ['MERGE', 2, { newer: { version: 2, labels: ['new', 'old'] }, older: { forgottenAt: expect.any(String) } }],
  ['FORGET', 1, { newer: { version: 1 }, older: { version: 2, forgottenAt: expect.any(String) } }],
])('%s settles a pair once, and undo would take it back', async (as, events, both) => {
  const [older, newer] = await pair()
  const settled = await settle(as, older, newer)
  expect(settled).toMatchObject({ __typename: 'Settled', events, since: expect.any(String), ...both })
  expect((await suspected()).edges).toEqual([])
  expect(await settle(as, older, newer)).toMatchObject({
    events: 0,
    since: null,
    sequence: settled.sequence,
    hash: settled.hash,
  })
  expect(await undo(settled)).toMatchObject({ changed: events, refused: 0 })
})

test('what is taken back is suspected again', async () => {
  const [older, newer] = await pair()
  const { since, correlationId } = await settle('KEEP_BOTH', older, newer)
  expect((await undo({ since, correlationId })).changes).toEqual([
    { memoryId: newer, action: 'RESTORE', toVersion: 1 },
  ])
  // What an undo appends; operations run elsewhere.
  await suite.client.data(
    'mutation ($id: ID!) { restore(id: $id, version: 1) { ... on Restored { sequence } } }',
    { id: newer },
  )
  await expect.poll(async () => (await suspected()).edges.length).toBe(1)
})

test('is refused with the reason', async () => {
  const [older, newer] = await pair()
  expect(await settle('FORGET', older, older)).toMatchObject({ code: 'VALIDATION', field: 'newer' })
  await settle('SUPERSEDE', older, newer)
  expect(await settle('SUPERSEDE', newer, older)).toMatchObject({ code: 'VALIDATION', field: 'as' })
  const third = await write(suite.client, PORT(1))
  expect(await settle('SUPERSEDE', third, newer)).toMatchObject({
    field: 'as',
    message: expect.stringContaining('names only one'),
  })
  const stranger = await suite.running.newClient()
  for (const id of [await write(stranger, PORT(2)), 'note:nonsense', newer.replace('note', 'fact')])
    expect(await settle('FORGET', id, newer)).toMatchObject({ __typename: 'NotFoundError' })
  await settle('FORGET', third, newer)
  expect(await settle('SUPERSEDE', older, third)).toMatchObject({
    __typename: 'ConflictError',
    code: 'FORGOTTEN',
  })
})

test('needs WRITE, while the list needs READ', async () => {
  const [older, newer] = await pair()
  const admin = await suite.running.newClient(true)
  const reader = await newWriter(admin, suite.client, { scopes: ['READ'] })
  expect((await suspected({}, reader)).edges).toHaveLength(1)
  const forbidden = await reader.send(
    `mutation { settle(older: "${older}", newer: "${newer}", as: FORGET) { __typename } }`,
  )
  expect(forbidden.body.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' })
})

test('what is in quarantine is neither suspected nor settled', async () => {
  const admin = await suite.running.newClient(true)
  const poisoner = await newWriter(admin, suite.client)
  const operator = await newWriter(admin, suite.client, { scopes: ['READ', 'WRITE', 'ADMIN'] })
  const planted = await write(poisoner, PORT(666), { labels: ['poisoned'] })
  const honest = await write(suite.client, PORT(8080))
  expect((await suspected()).edges).toHaveLength(1)
  await quarantine(operator, { key: poisoner.keyId })
  expect((await suspected()).edges).toEqual([])
  expect(await settle('MERGE', planted, honest)).toMatchObject({ __typename: 'NotFoundError' })
})
