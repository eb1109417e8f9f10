import { graphql, type ResultOf } from '@daybook/api/graphql'
import { read } from './client.ts'

const CHECKS = graphql('query Checks { checks { name status message advice } }')

/** What was found of one thing that the gateway needs. */
export type Check = ResultOf<typeof CHECKS>['checks'][number]

/** Checks everything, as `daybook doctor` does. It takes some seconds if something does not move. @throws DaybookClientError */
export const runChecks = async (signal: AbortSignal): Promise<readonly Check[]> =>
  (await read(CHECKS, {}, { signal })).checks
