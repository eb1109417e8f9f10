import { ValidationError } from '@daybook/memory/errors'
import type { PageInfoShape } from '@pothos/plugin-relay'
import { PAGE_MAX } from '../limits.ts'

/** The largest cursor of a list whose places are sequences, and of one whose places are versions, as Postgres keeps them. */
export const LAST_SEQUENCE = Number.MAX_SAFE_INTEGER
export const LAST_VERSION = 2_147_483_647

/**
 * How many items of a list are asked for.
 * @param fallback where nothing is given
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

/** The page of a list whose items each have a number that orders them, which is their cursor. */
export interface Page {
  /** What Pothos' `resolveCursorConnection` takes. */
  readonly args: { readonly first: number; readonly after: string | null }
  /** The number in the cursor; null: from the beginning. */
  readonly after: number | null
}

/**
 * The page asked for, `first` 20 unless given. Pothos would take the limit for a larger `first`, and knows nothing of cursors.
 * @param last the largest cursor that the list could have; the database would refuse a larger number
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

/** The connection; where its page is empty, without the cursors that Pothos then makes up, an empty text among them. */
export function withOwnCursors<Edge>(connection: Connection<Edge>): Connection<Edge> {
  if (connection.edges.length > 0) return connection
  return { ...connection, pageInfo: { ...connection.pageInfo, startCursor: null, endCursor: null } }
}

interface Connection<Edge> {
  readonly edges: readonly Edge[]
  readonly pageInfo: PageInfoShape
}
