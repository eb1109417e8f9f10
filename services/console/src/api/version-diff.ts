import { graphql, type ResultOf } from '@daybook/api/graphql'
import { read } from './client.ts'

const DIFF = graphql(`
  query VersionDiff($id: ID!, $from: Int!, $to: Int!) {
    diff(id: $id, from: $from, to: $to) { changed { field before after } text { change text } }
  }`)

/** What differs between two versions of a memory. */
export type VersionDiff = NonNullable<ResultOf<typeof DIFF>['diff']>

/** Compares two versions; null if there is no such memory. @throws DaybookClientError; the signal's reason */
export const readDiff = async (
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
  signal?: AbortSignal,
): Promise<VersionDiff | null> => (await read(DIFF, { id, from, to }, { signal })).diff
