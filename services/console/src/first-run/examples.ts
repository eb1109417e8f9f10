import type { InputOf } from '@daybook/api/graphql'

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
