import { enumValue, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { succeeded } from '@daybook/client/calls/calls'
import type { Settlement, Suspicion } from '@daybook/memory/settle'
import { read } from './client.ts'

const PAIR_MEMORY = 'id kind title text agent context occurredAt createdAt shared'

const SUSPECTED = queries.suspected(`
  edges { node { kind differences { older newer } older { ${PAIR_MEMORY} } newer { ${PAIR_MEMORY} } } }
  pageInfo { hasNextPage endCursor }`)

/** Two memories that seem to say the same, or to contradict each other. */
export type SuspectedPair = ResultOf<typeof SUSPECTED>['suspected']['edges'][number]['node']

/** A page of pairs, the latest written first. It may be empty while there are older memories to look at. */
export interface SuspectedPage {
  readonly pairs: readonly SuspectedPair[]
  /** Where to look further; null: all were looked at. */
  readonly next: string | null
}

/** @param kind only pairs that seem so; null: all. @throws DaybookClientError; the signal's reason */
export async function readSuspected(
  {
    kind,
    context,
    after,
  }: {
    readonly kind: Suspicion | null
    readonly context: string | null
    readonly after: string | null
  },
  signal?: AbortSignal,
): Promise<SuspectedPage> {
  const { suspected } = await read(
    SUSPECTED,
    { kind: kind && enumValue(kind), filter: { context }, after },
    { signal },
  )
  const { hasNextPage, endCursor } = suspected.pageInfo
  return { pairs: suspected.edges.map(({ node }) => node), next: hasNextPage ? (endCursor ?? null) : null }
}

const SETTLE = mutations.settle('since correlationId')

/** What was written to settle a pair. */
export type SettledPair = Extract<ResultOf<typeof SETTLE>['result'], { readonly correlationId: string }>

/** Decides about two memories. The same again changes nothing, so a lost answer is asked for again. @throws DaybookClientError */
export const settlePair = async (older: string, newer: string, as: Settlement): Promise<SettledPair> =>
  succeeded((await read(SETTLE, { older, newer, as: enumValue(as) })).result)
