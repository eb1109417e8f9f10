import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { describe, expect, test } from 'vitest'
import { type TestClient, useTestGateway } from './testing/test-gateway.ts'
import { newWriter } from './testing/writers.ts'

interface Input {
  readonly content?: object
  readonly context?: string
  readonly occurredAt?: string
  readonly agent?: string
}

interface Written {
  readonly id: string
  readonly sameText: readonly string[]
}

const plain = (id: string) => id.slice(id.indexOf(':') + 1)

describe.each(SERVICE_DATABASES)('a memory that says just the same as another, on $name', ({ start }) => {
  const suite = useTestGateway(start)

  const indexed = (sequence: number) =>
    suite.client.data('query ($s: Int!) { search(query: "x", atLeast: $s) { sequence } }', { s: sequence })

  async function remember(
    text: string,
    input: Input = {},
    client: TestClient = suite.client,
  ): Promise<Written> {
    const { remember: written } = await client.data(
      'mutation ($input: RememberInput!) { remember(input: $input) { ... on Remembered { sequence sameText memory { id } } } }',
      { input: { content: { note: { text } }, ...input } },
    )
    await indexed(written.sequence)
    return { id: plain(written.memory.id), sameText: written.sameText }
  }

  test('is told so when it is written, by the ids of the others, oldest first', async () => {
    const one = await remember('The build takes six minutes', { context: 'shop' })
    expect(one.sameText).toEqual([])
    const two = await remember('The build takes six minutes', { context: 'shop' })
    expect(two.sameText).toEqual([one.id])
    expect((await remember('The build takes six minutes', { context: 'shop' })).sameText).toEqual([
      one.id,
      two.id,
    ])
  })

  test('not of another context, kind or time, and not of what is forgotten', async () => {
    const first = await remember('Ship on Friday', { context: 'van' })
    const others: Input[] = [
      {},
      { context: 'lorry' },
      { context: 'van', occurredAt: '2026-05-08T10:00:00Z' },
      { context: 'van', content: { todo: { description: 'Ship on Friday' } } },
    ]
    for (const other of others) expect((await remember('Ship on Friday', other)).sameText).toEqual([])
    const { forget } = await suite.client.data(
      'mutation ($id: ID!) { forget(id: $id) { ... on Forgotten { sequence } } }',
      { id: `note:${first.id}` },
    )
    await indexed(forget.sequence)
    expect((await remember('Ship on Friday', { context: 'van' })).sameText).toEqual([])
  })

  test('a key that may not read is told nothing, and its write goes through', async () => {
    await remember('The safe opens with 4711')
    const admin = await suite.running.newClient(true)
    const writer = await newWriter(admin, suite.client, { scopes: ['WRITE'] })
    expect((await remember('The safe opens with 4711', {}, writer)).sameText).toEqual([])
    expect((await remember('The safe opens with 4711')).sameText).toHaveLength(2)
  })

  test('not of another project', async () => {
    await remember('The harbour master is called Ines', { context: 'harbour' })
    const other = await suite.running.newClient()
    const { remember: written } = await other.data(
      'mutation ($input: RememberInput!) { remember(input: $input) { ... on Remembered { sameText } } }',
      { input: { content: { note: { text: 'The harbour master is called Ines' } }, context: 'harbour' } },
    )
    expect(written).toEqual({ sameText: [] })
    // It could have been told: the one who wrote it first is.
    expect(
      (await remember('The harbour master is called Ines', { context: 'harbour' })).sameText,
    ).toHaveLength(1)
  })

  test('what is in quarantine is not named', async () => {
    await remember('The password is hunter2', { agent: 'mallory' })
    const admin = await suite.running.newClient(true)
    const operator = await newWriter(admin, suite.client, { scopes: ['ADMIN', 'WRITE'] })
    await operator.data(
      'mutation { quarantineWriter(agent: "mallory", reason: "it lies") { ... on QuarantineBegun { id } } }',
    )
    expect((await remember('The password is hunter2')).sameText).toEqual([])
  })

  test('of many that are written together each is told what stood there before', async () => {
    const one = await remember('Tea is in the kitchen')
    const { rememberMany } = await suite.client.data(
      `mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { ... on Remembered { sameText } } }`,
      { inputs: ['Tea is in the kitchen', 'Coffee, too'].map((text) => ({ content: { note: { text } } })) },
    )
    expect(rememberMany).toEqual([{ sameText: [one.id] }, { sameText: [] }])
  })
})
