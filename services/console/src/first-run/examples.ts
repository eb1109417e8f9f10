import type { InputOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { succeeded } from '@daybook/client/calls/calls'
import { FORGET, REMEMBER_MANY } from '@daybook/client/documents/writes'
import { change, read } from '../api/client.ts'
import { readNewest } from '../api/search.ts'
import { refresh } from '../components/hooks.ts'

/** The context that all examples have, and nothing else: by it they are removed again. */
export const EXAMPLES_CONTEXT = 'daybook-examples'

/** Memories to try Daybook with: small, of several kinds, with labels and agents to filter by. */
export const EXAMPLES: readonly Omit<InputOf<'RememberInput'>, 'context'>[] = [
  {
    content: {
      insight: {
        key: 'jwt-validation',
        content: 'Always validate the expiration of a JWT before trusting its claims.',
      },
    },
    labels: ['security', 'auth'],
    agent: 'reviewer',
  },
  {
    content: {
      decision: {
        topic: 'database',
        decision: 'Use Postgres with pgvector instead of a separate vector store',
        reasoning: 'One backup, one set of permissions, and transactions across rows and vectors.',
      },
    },
    labels: ['architecture'],
    agent: 'planner',
  },
  {
    content: {
      note: { text: 'The staging database is restored from production every Monday at 06:00 UTC.' },
    },
    labels: ['operations'],
    agent: 'operator',
  },
  {
    content: {
      note: {
        text: 'Maria prefers short pull requests: one change each, with a test that fails without it.',
      },
    },
    labels: ['people', 'review'],
    agent: 'reviewer',
  },
  {
    content: {
      todo: { description: 'Rotate the signing keys of the webhook: they are a year old.' },
    },
    labels: ['security'],
    agent: 'operator',
  },
  {
    content: {
      note: { text: 'Customers in Japan ask for invoices with the date in the order year, month, day.' },
    },
    labels: ['customers'],
    agent: 'support',
  },
  {
    content: {
      insight: {
        key: 'slow-tests',
        content: 'The test suite is slow because every test starts its own browser; share one.',
      },
    },
    labels: ['testing'],
    agent: 'reviewer',
  },
  {
    content: { note: { text: 'Deployments are frozen from 20 December to 2 January.' } },
    labels: ['operations', 'calendar'],
    agent: 'operator',
  },
]

const SEARCHABLE = queries.search('degraded')

const wait = (sequences: readonly number[]) =>
  read(SEARCHABLE, { query: 'example', limit: 1, atLeast: Math.max(...sequences) })

const OF_EXAMPLES = { context: EXAMPLES_CONTEXT }

/** How many of the examples the project holds. @throws DaybookClientError */
export const countExamples = async (): Promise<number> =>
  (await readNewest({ filter: OF_EXAMPLES, first: 1 })).counts.memories

/** Remembers the examples, and waits until a search finds them. @throws DaybookClientError */
export async function addExamples(): Promise<void> {
  const results = await change(REMEMBER_MANY, (key) => ({
    inputs: EXAMPLES.map((input, index) => ({
      ...input,
      ...OF_EXAMPLES,
      idempotencyKey: `${key}:${index}`,
    })),
  }))
  await wait(results.map((result) => succeeded(result).sequence))
  refresh()
}

/** The most examples that one page of a list has. */
const PAGE = 100

/** Forgets all that is in the examples' context: ordinary events, which `restore` takes back. @throws DaybookClientError */
export async function removeExamples(): Promise<void> {
  const { memories } = await readNewest({ filter: OF_EXAMPLES, first: PAGE })
  const sequences: number[] = []
  for (const { id } of memories)
    sequences.push((await change(FORGET, (idempotencyKey) => ({ id, idempotencyKey }))).sequence)
  if (sequences.length > 0) await wait(sequences)
  refresh()
}
