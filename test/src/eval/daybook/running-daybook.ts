import { askGraphQL, dataOf, type GraphQLRequest } from '../../support/graphql.ts'
import { categoryOf, EVALUATION, type EvaluatedDaybook } from './evaluated-daybook.ts'

/** Where a Daybook listens, and the key of the project that is evaluated. */
export interface Address {
  readonly url: string
  readonly apiKey: string
}

const FIRST_MEMORY = '{ journal(after: 0, first: 1) { memory { categories } } }'

/**
 * A Daybook that runs already. A key opens one project, so all groups go into it, and searches are kept apart by categories;
 * the statistics of words are then those of all groups, unlike those of projects of their own.
 * @param amongOthers whether memories that are no evaluation's may be in the project
 * @throws Error where they are and may not: the collection would be found among them from then on
 */
export async function runningDaybook(address: Address, amongOthers: boolean): Promise<EvaluatedDaybook> {
  const ask = <Data>(request: GraphQLRequest) => askGraphQL<Data>(address, request)
  const { journal } = dataOf(
    await ask<{ journal: { memory: { categories: string[] } | null }[] }>({ query: FIRST_MEMORY }),
  )
  const [first] = journal
  const isOurs = first?.memory?.categories.some((category) => category.startsWith(EVALUATION))
  if (first !== undefined && isOurs !== true && !amongOthers)
    throw new Error(
      `The project at ${address.url} holds memories of somebody. Give the key of an empty one, or say --among-others.`,
    )
  return {
    description: `${address.url}, one project`,
    place: (group) => ({ ask, category: categoryOf(group), shared: true }),
    close: async () => {},
  }
}
