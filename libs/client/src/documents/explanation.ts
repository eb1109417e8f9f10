import { graphql, type ResultOf } from '@daybook/api/graphql'

/** Everything of an explanation. Spread it on a hit's. */
export const EXPLANATION = graphql(`
  fragment Explanation on Explanation {
    method score ownScore scale missingNeighbours session { memoryId contribution } generation model
    terms { name value weight contribution }
    priors { name value weight contribution }
    retrievers { retriever rank rawScore normalisedScore weight contribution }
    neighbours { memoryId distance contribution }
  }`)

/** How a hit's score came about. */
export type Explanation = ResultOf<typeof EXPLANATION>
