import { graphql, type ResultOf } from '@daybook/api/graphql'

export const COUNTS = graphql(`
  fragment Counts on Facets {
    memories
    kinds { value count } labels { value count } categories { value count } contexts { value count }
    agents { value count }
    others { facet values count }
  }`)

/** How many memories have which value. */
export type Counts = ResultOf<typeof COUNTS>
