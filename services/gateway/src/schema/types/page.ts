import { ValidationError } from '@daybook/memory/errors'
import { PAGE_MAX } from '../limits.ts'

/** The page asked for, checked. `after` is the number in the cursor. */
export interface Page {
  readonly first: number
  readonly after: number | null
}

/** The largest cursor of a list whose places are sequences, and of one whose places are versions, as Postgres keeps them. */
export const LAST_SEQUENCE = Number.MAX_SAFE_INTEGER
export const LAST_VERSION = 2_147_483_647

/**
 * @param last the largest cursor that the list could have; the database would refuse a larger number
 * @throws ValidationError naming the argument
 */
export function checkPage(
  args: {
    readonly first?: number | null | undefined
    readonly after?: string | null | undefined
  },
  last = LAST_SEQUENCE,
): Page {
  const first = args.first ?? 20
  if (first < 1 || first > PAGE_MAX) throw new ValidationError('first', `must be from 1 to ${PAGE_MAX}`)
  if (args.after == null) return { first, after: null }
  const after = Number(args.after)
  if (!/^\d{1,16}$/u.test(args.after)) throw new ValidationError('after', 'is not a cursor of this list')
  if (after > last) throw new ValidationError('after', `is no cursor of this list: the largest is ${last}`)
  return { first, after }
}

/** A Relay connection of `rows`, of which one more than the page was read to see whether there is a next one. */
export function toConnection<Row, Node>(
  rows: readonly Row[],
  { first, after }: Page,
  { cursor, node }: { cursor: (row: Row) => number; node: (row: Row) => Node },
) {
  const edges = rows.slice(0, first).map((row) => ({ cursor: String(cursor(row)), node: node(row) }))
  return {
    edges,
    pageInfo: {
      hasNextPage: rows.length > first,
      hasPreviousPage: after !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}
