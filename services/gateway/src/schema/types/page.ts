import { ValidationError } from '@daybook/memory/errors'
import type { PageInfoShape } from '@pothos/plugin-relay'
import { PAGE_MAX } from '../limits.ts'

/** The largest cursor of a list ordered by sequence. */
export const LAST_SEQUENCE = Number.MAX_SAFE_INTEGER
/** The largest cursor of a list ordered by version: Postgres keeps versions in 32 bits. */
export const LAST_VERSION = 2_147_483_647

/**
 * Checks how many items of a list are asked for.
 * @param fallback used if nothing is given
 * @throws ValidationError naming the limit
 */
export function checkFirst(
  given: number | null | undefined,
  { fallback, most = PAGE_MAX }: { readonly fallback: number; readonly most?: number },
): number {
  const first = given ?? fallback
  if (first < 1 || first > most) throw new ValidationError('first', `must be from 1 to ${most}`)
  return first
}

interface PageArguments {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
}

/** A page of a list that is ordered by a number. That number is each item's cursor. */
export interface Page {
  /** The arguments for Pothos' `resolveCursorConnection`. */
  readonly args: { readonly first: number; readonly after: string | null }
  /** The number in the cursor; null means from the beginning. */
  readonly after: number | null
}

/**
 * Checks the arguments of a page; `first` is 20 by default. Pothos would silently lower a larger `first` to
 * the limit, and does not check cursors.
 * @param last the largest cursor that the list can have; the database would refuse a larger number
 * @throws ValidationError naming the argument and its limit
 */
export function checkPage(args: PageArguments, last = LAST_SEQUENCE): Page {
  const [first, cursor] = [checkFirst(args.first, { fallback: 20 }), args.after ?? null]
  if (cursor === null) return { args: { first, after: null }, after: null }
  const after = Number(cursor)
  if (!/^\d{1,16}$/u.test(cursor)) throw new ValidationError('after', 'is not a cursor of this list')
  if (after > last) throw new ValidationError('after', `is no cursor of this list: the largest is ${last}`)
  return { args: { first, after: cursor }, after }
}

/** Removes the made-up cursors, such as an empty text, that Pothos gives an empty page. */
export function withOwnCursors<Edge>(connection: Connection<Edge>): Connection<Edge> {
  if (connection.edges.length > 0) return connection
  return { ...connection, pageInfo: { ...connection.pageInfo, startCursor: null, endCursor: null } }
}

interface Connection<Edge> {
  readonly edges: readonly Edge[]
  readonly pageInfo: PageInfoShape
}
