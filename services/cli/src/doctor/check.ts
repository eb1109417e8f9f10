import { graphql, type ResultOf } from '@daybook/api/graphql'

/** The query for the daemon's own checks. */
export const CHECKS = graphql('query Checks { checks { name status message advice } }')

/** The result of one check, made by the daemon or by the CLI itself. */
export type Check = Readonly<ResultOf<typeof CHECKS>['checks'][number]>
