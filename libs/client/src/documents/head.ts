import { graphql } from '@daybook/api/graphql'

/** The journal's last sequence, as each projection knows it. */
export const HEAD = graphql('query Head { projections { head } }')
