import { askGraphQL, dataOf, type GraphQLRequest } from '../../support/graphql.ts'
import { type Address, categoryOf, EVALUATION, type EvaluatedDaybook } from './evaluated-daybook.ts'

const FIRST_MEMORY = '{ journal(after: 0, first: 1) { memory { categories } } }'

/**
 * Uses a Daybook that runs already. A key opens one project, so all groups go into it, and searches separate
 * them by category. Word statistics then cover all groups, unlike with a project per group.
 * @param amongOthers whether the project may hold other memories
 * @throws Error if it does but may not: users would find the collection among their memories
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
    place: (group) => ({ ask, address: () => address, category: categoryOf(group), shared: true }),
    async rankWithout(terms) {
      if (terms.length > 0) throw new Error('only a daemon of its own leaves out terms of the ranking')
    },
    close: async () => {},
  }
}
