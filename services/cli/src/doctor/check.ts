import { graphql, type ResultOf } from '@daybook/api/graphql'

export const CHECKS = graphql('query Checks { checks { name status message advice } }')

/** What came of looking at one thing: by the daemon, or by the CLI itself. */
export type Check = Readonly<ResultOf<typeof CHECKS>['checks'][number]>
