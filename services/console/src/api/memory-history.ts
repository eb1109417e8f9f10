import { graphql, type ResultOf } from '@daybook/api/graphql'
import { read } from './client.ts'

const HISTORY = graphql(`
  query MemoryHistory($id: ID!, $after: String, $first: Int) {
    memory(id: $id) {
      history(first: $first, after: $after) {
        edges { node {
          sequence status type version changed actor recordedAt correlationId writer { keyId agent client trust }
        } }
      }
    }
  }`)

/** What happened to a memory, once. */
export type HistoryEvent = NonNullable<ResultOf<typeof HISTORY>['memory']>['history']['edges'][number]['node']

/** The most events of one page. */
export const HISTORY_PAGE = 50

/**
 * The events of a memory up to a version, the newest first, at most 50.
 * @throws DaybookClientError; the signal's reason
 */
export async function readHistory(
  id: string,
  upTo: number,
  signal?: AbortSignal,
): Promise<readonly HistoryEvent[]> {
  // The API lists the oldest first, and its cursors are versions.
  const after = Math.max(0, upTo - HISTORY_PAGE)
  const request = { id, after: String(after), first: Math.max(1, upTo - after) }
  const { memory } = await read(HISTORY, request, { signal })
  return (memory?.history.edges ?? []).map(({ node }) => node).toReversed()
}
