import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { describe, expect, test } from 'vitest'
import { listen, type TestClient, useTestGateway } from './testing/test-gateway.ts'

const REMEMBER = `mutation ($text: String!, $context: String) {
  remember(input: { content: { note: { text: $text } }, context: $context }) { ... on Remembered { memory { id } } } }`
const REVISE = `mutation ($id: ID!, $text: String!) {
  revise(id: $id, input: { content: { note: { text: $text } } }) { __typename } }`
const MATCHED = `subscription ($query: String!, $minScore: Float, $filter: MemoryFilter) {
  memoryMatched(query: $query, minScore: $minScore, filter: $filter) { score version memory { text } } }`

/** A standing question; `told` has the texts in the order in which they came. */
async function ask(client: TestClient, variables: object) {
  const listening = await listen(client, MATCHED, variables)
  return {
    ...listening,
    told: () => [...listening.received().matchAll(/"text":"([^"]*)"/gu)].map(([, text]) => text),
  }
}

describe.each(SERVICE_DATABASES)('a standing question, on $name', ({ start }) => {
  const suite = useTestGateway(start)
  const remember = async (client: TestClient, text: string, context: string | null = null) =>
    (await client.data(REMEMBER, { text, context })).remember.memory.id as string

  test('is told what is written from then on and answers it, once each, and nothing of before', async () => {
    const client = await suite.running.newClient()
    await remember(client, 'the harbour lantern was painted')
    const asked = await ask(client, { query: 'harbour lantern', minScore: 0.1 })
    // Until it follows, nobody knows what is new: the first that is told says so.
    await expect
      .poll(async () => {
        if (asked.told().length === 0) await remember(client, 'the harbour lantern is lit')
        return asked.told().length
      })
      .toBeGreaterThan(0)
    const id = await remember(client, 'bread is baked on fridays')
    await remember(client, 'the harbour lantern is green')
    await expect.poll(() => asked.told()).toContain('the harbour lantern is green')
    await client.data(REVISE, { id, text: 'bread is sold below the harbour lantern' })
    await expect.poll(() => asked.told()).toContain('bread is sold below the harbour lantern')
    expect(asked.told()).not.toContain('the harbour lantern was painted')
    expect(asked.told()).not.toContain('bread is baked on fridays')
    for (const text of ['the harbour lantern is green', 'bread is sold below the harbour lantern'])
      expect(asked.told().filter((told) => told === text)).toHaveLength(1)
    await asked.end()
  })

  test('counts only what its filter selects, and only its own project', async () => {
    const [client, other] = [await suite.running.newClient(), await suite.running.newClient()]
    const asked = await ask(client, { query: 'lantern', minScore: 0, filter: { context: 'harbour' } })
    await expect
      .poll(async () => {
        await remember(other, 'a lantern of others', 'harbour')
        await remember(client, 'a lantern elsewhere', 'hills')
        await remember(client, 'a lantern on the pier', 'harbour')
        return asked.told()
      })
      .toContain('a lantern on the pier')
    expect(new Set(asked.told())).toEqual(new Set(['a lantern on the pier']))
    await asked.end()
  })

  test.each([
    [{ query: '' }, 'query'],
    [{ query: 'x', minScore: 2 }, 'minScore'],
  ])('with wrong arguments %j is refused, and the error names %s', async (variables, field) => {
    const asked = await ask(await suite.running.newClient(), variables)
    await expect.poll(() => asked.received()).toMatch(field)
    expect(asked.received()).toContain('VALIDATION')
    await asked.end()
  })
})
