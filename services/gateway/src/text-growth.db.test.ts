import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { isInProportion } from '@daybook/runtime/testing/growth'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const SEARCH = 'query ($text: String!, $at: Int) { search(query: $text, atLeast: $at) { hits { score } } }'
const REMEMBER =
  'mutation ($input: RememberInput!) { remember(input: $input) { ... on Remembered { sequence } ... on DaybookError { message } } }'
const KB = 1_024

/** Each takes 4 KB at least. The others have limits of 1 KB and less. */
const FIELDS: Record<string, (text: string) => object> = {
  'the text of a note': (text) => ({ content: { note: { text } } }),
  'the content of a document': (text) => ({ content: { document: { title: 'a', content: text } } }),
  'the reasoning of a decision': (text) => ({
    content: { decision: { topic: 'a', decision: 'b', reasoning: text } },
  }),
  'a value of the metadata': (text) => ({ content: { note: { text: 'a' } }, metadata: { text } }),
}

/** Mixtures of what once took a parser, a splitter or a phrase search long. */
const mixture = fc
  .array(
    fc.constantFrom(
      '"',
      '“',
      "'",
      '[',
      ']',
      '{',
      '(',
      ')',
      '-',
      '--',
      'e\u0301\u0327',
      '7',
      '1.',
      '2024-',
      'a',
      'OR ',
      ' ',
      '/',
      '_',
      'ﷺ',
      '京',
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => `x${pieces.join('')}`)

describe.each(SERVICE_DATABASES)('the time that a text takes, on $name', ({ start }) => {
  let database: TestDatabase
  let running: TestGateway
  let client: TestClient
  beforeAll(async () => {
    database = await start()
    running = await startTestGateway(database, null)
    client = await running.newClient()
    await remembered({ content: { note: { text: 'x and some other words' } } })
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })

  /** Until it can be found. */
  const remembered = async (input: object) => {
    const { remember } = await client.data(REMEMBER, { input })
    expect(remember).toHaveProperty('sequence')
    await client.data(SEARCH, { text: 'x', at: (remember as { sequence: number }).sequence })
  }
  /** The first mixture with which the time grows faster than the text. */
  const outOfProportion = async (work: (text: string) => Promise<unknown>): Promise<string | null> => {
    for (const pieces of fc.sample(mixture, 12)) {
      const text = pieces.repeat(Math.ceil((4 * KB) / pieces.length)).slice(0, 4 * KB)
      if (!(await isInProportion(work, text))) return pieces
    }
    return null
  }

  test('is in proportion to its length as a query', async () => {
    expect(await outOfProportion((text) => client.send(SEARCH, { text }))).toBeNull()
  })

  test.each(Object.entries(FIELDS))('is in proportion to its length as %s', async (_, input) => {
    expect(await outOfProportion((text) => remembered(input(text)))).toBeNull()
  })
})
