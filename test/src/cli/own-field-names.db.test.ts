import { kindOptions } from '@daybook/cli/remember/remember-input'
import { memoryContent, withContent } from '@daybook/client/documents/memory-content'
import { startTestGateway, type TestClient, type TestGateway } from '@daybook/gateway/testing/test-gateway'
import type * as kinds from '@daybook/memory/kinds/index'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

/* Adds a kind whose fields have the same names as fields of every memory. */

// Other files of this worker have loaded these modules already, and get them again unchanged.
vi.hoisted(() => vi.resetModules())
afterAll(() => {
  vi.doUnmock('@daybook/memory/kinds/index')
  vi.resetModules()
})

vi.mock('@daybook/memory/kinds/index', async (original) => {
  const real = await original<typeof kinds>()
  const { text } = await import('@daybook/memory/kinds/kind')
  const { kind } = await import('@daybook/memory/kinds/kind')
  const call = kind({
    name: 'call',
    description: 'Somebody who called.',
    mainField: 'agent',
    fields: {
      agent: text('Who called.').required(),
      version: text('Of what.').optional(),
      title: text('Their title.').optional(),
    },
    body: (content) => content.agent,
    text: (content) => content.agent,
  })
  const kindNamed = (name: string) => (name === 'call' ? call : real.kindNamed(name as kinds.KindName))
  const isKindName = (name: string) => name === 'call' || real.isKindName(name)
  return { ...real, KIND_NAMES: [...real.KIND_NAMES, 'call'], kindNamed, isKindName }
})

let database: TestDatabase
let gateway: TestGateway
let client: TestClient
beforeAll(async () => {
  database = await (TEST_DATABASES[0] as (typeof TEST_DATABASES)[number]).start()
  gateway = await startTestGateway(database)
  client = await gateway.newClient()
})
afterAll(async () => {
  await gateway?.stop()
  await database?.stop()
})

test('a field that is called as one of all memories comes back under content, beside the memory’s own', async () => {
  const call = { agent: 'Ada', version: 'the engine', title: 'Countess' }
  const { textOf, graphql } = await import('@daybook/api/graphql')
  const { MEMORY } = await import('@daybook/client/documents/memory')
  const remember = graphql(
    `mutation Remember($input: RememberInput!) {
      remember(input: $input) { ... on Remembered { memory { ...Memory ...MemoryContent } } }
    }`,
    [MEMORY, memoryContent()],
  )
  const answer = await client.data(textOf(remember), { input: { content: { call }, agent: 'a test' } })
  expect(withContent(answer.remember.memory)).toMatchObject({
    kind: 'CALL',
    agent: 'a test',
    version: 1,
    title: 'Ada',
    content: { call },
  })
})

test('its option on the command line has a name of its own', () => {
  expect(kindOptions('call' as kinds.KindName).map(({ flag }) => flag)).toEqual([
    'agent-text',
    'version-text',
    'title-text',
  ])
})
