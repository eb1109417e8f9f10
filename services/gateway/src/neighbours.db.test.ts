import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { describe, expect, test } from 'vitest'
import { useTestGateway } from './testing/test-gateway.ts'
import { newWriter } from './testing/writers.ts'

describe.each(SERVICE_DATABASES)('neighbours of a memory, on $name', ({ start }) => {
  const suite = useTestGateway(start)

  async function remember(texts: readonly string[], context?: string, agent?: string): Promise<string[]> {
    const { rememberMany } = await suite.client.data(
      `mutation ($inputs: [RememberInput!]!) {
        rememberMany(inputs: $inputs) { ... on Remembered { memory { id } } }
      }`,
      { inputs: texts.map((text) => ({ content: { note: { text } }, context, agent })) },
    )
    return (rememberMany as { memory: { id: string } }[]).map(({ memory }) => memory.id)
  }

  async function around(id: string): Promise<{ before: string[]; after: string[] }> {
    const atLeast = (await suite.client.data('{ journal(first: 1000) { sequence } }'))['journal'].length
    const { memory } = await suite.client.data(
      `query ($id: ID!, $atLeast: Int) { memory(id: $id, atLeast: $atLeast) {
        neighbours { before { title } after { title } } } }`,
      { id, atLeast },
    )
    const titles = (list: { title: string }[]) => list.map(({ title }) => title)
    return { before: titles(memory.neighbours.before), after: titles(memory.neighbours.after) }
  }

  test('three before and three after it in its context, nearest first, without forgotten ones', async () => {
    const ids = await remember(['one', 'two', 'three', 'four', 'five', 'six', 'seven'], 'shop')
    await remember(['another context'], 'elsewhere')
    const four = ids[3] as string
    expect(await around(four)).toEqual({ before: ['three', 'two', 'one'], after: ['five', 'six', 'seven'] })
    await suite.client.data('mutation ($id: ID!) { forget(id: $id) { __typename } }', { id: ids[4] })
    expect(await around(four)).toEqual({ before: ['three', 'two', 'one'], after: ['six', 'seven'] })
    expect(await around(ids[0] as string)).toEqual({ before: [], after: ['two', 'three', 'four'] })
  })

  test('what is in quarantine is left out', async () => {
    const [first] = await remember(['first'], 'ward')
    await remember(['poisoned'], 'ward', 'mallory')
    await remember(['last'], 'ward')
    expect(await around(first as string)).toEqual({ before: [], after: ['poisoned', 'last'] })
    const admin = await suite.running.newClient(true)
    const operator = await newWriter(admin, suite.client, { scopes: ['ADMIN', 'WRITE'] })
    await operator.data(
      'mutation { quarantineWriter(agent: "mallory", reason: "it lies") { ... on QuarantineBegun { id } } }',
    )
    expect(await around(first as string)).toEqual({ before: [], after: ['last'] })
  })

  test('none without a context', async () => {
    const [alone] = await remember(['alone', 'beside nothing'])
    expect(await around(alone as string)).toEqual({ before: [], after: [] })
  })
})
