import { graphql } from '@daybook/api/graphql'
import { succeeded } from '@daybook/client/calls/calls'
import { FORGET, REMEMBER_MANY } from '@daybook/client/documents/writes'
import { change, read } from '../api/client.ts'
import { readNewest } from '../api/newest.ts'
import { refresh } from '../api/refresh.ts'
import { EXAMPLES, EXAMPLES_CONTEXT } from './examples.ts'

const WAIT = graphql(
  `query Searchable($atLeast: Int!) { search(query: "example", limit: 1, atLeast: $atLeast) { degraded } }`,
)

const OF_EXAMPLES = { context: EXAMPLES_CONTEXT }

/** How many of the examples the project holds. @throws DaybookClientError */
export const countExamples = async (): Promise<number> =>
  (await readNewest({ filter: OF_EXAMPLES, first: 1 })).counts.memories

/** Remembers the examples, and waits until a search finds them. @throws DaybookClientError */
export async function addExamples(): Promise<void> {
  const sequence = await change(
    REMEMBER_MANY,
    (key) => ({
      inputs: EXAMPLES.map((input, index) => ({
        ...input,
        ...OF_EXAMPLES,
        idempotencyKey: `${key}:${index}`,
      })),
    }),
    ({ results }) => Math.max(...results.map((result) => succeeded(result).sequence)),
  )
  await read(WAIT, { atLeast: sequence })
  refresh()
}

/** The most examples that one page of a list has. */
const PAGE = 100

/** Forgets all that is in the examples' context: ordinary events, which `restore` takes back. @throws DaybookClientError */
export async function removeExamples(): Promise<void> {
  const { memories } = await readNewest({ filter: OF_EXAMPLES, first: PAGE })
  const sequences: number[] = []
  for (const { id } of memories)
    sequences.push(
      await change(
        FORGET,
        (idempotencyKey) => ({ id, idempotencyKey }),
        ({ result }) => succeeded(result).sequence,
      ),
    )
  if (sequences.length > 0) await read(WAIT, { atLeast: Math.max(...sequences) })
  refresh()
}
