import type { Collection } from './collection.ts'
import type { FoundHit } from './hits.ts'
import { RequestFailure } from './reply.ts'
import type { SearchParams } from './search-params.ts'

type Order = (left: FoundHit, right: FoundHit) => number

/**
 * Sorts hits by `sort_by`, or else by score and the default sorting field, descending. Equal hits are sorted
 * by arrival, newest first.
 */
export function sortHits(
  collection: Collection,
  params: SearchParams,
  hits: readonly FoundHit[],
): FoundHit[] {
  const orders: Order[] =
    params.sortBy === ''
      ? [byScore, descending(collection.schema.default_sorting_field)]
      : params.sortBy.split(',').map((one) => readOrder(collection, one.trim()))
  orders.push((left, right) => right.stored.seq - left.stored.seq)
  return hits.toSorted((left, right) => {
    for (const order of orders) {
      const result = order(left, right)
      if (result !== 0) return result
    }
    return 0
  })
}

function byScore(left: FoundHit, right: FoundHit): number {
  if (left.fusion !== undefined && right.fusion !== undefined) return right.fusion - left.fusion
  if (left.distance !== undefined && right.distance !== undefined)
    return left.distance - right.distance || right.stored.seq - left.stored.seq
  const [one, other] = [left.text?.text.score ?? 0n, right.text?.text.score ?? 0n]
  return one === other ? 0 : one > other ? -1 : 1
}

const numberOf = (hit: FoundHit, name: string) => Number(hit.stored.document[name] ?? Number.MIN_SAFE_INTEGER)
const descending =
  (name: string): Order =>
  (left, right) =>
    numberOf(right, name) - numberOf(left, name)

function readOrder(collection: Collection, text: string): Order {
  const [name = '', given] = text.split(':')
  const direction = (given ?? '').toLowerCase()
  const isAscending = direction === 'asc'
  if (name === '_text_match') return isAscending ? (left, right) => byScore(right, left) : byScore
  if (name === '_vector_distance')
    return (left, right) => ((left.distance ?? 2) - (right.distance ?? 2)) * (isAscending ? 1 : -1)
  if (collection.field(name)?.sort !== true)
    throw new RequestFailure(404, `Could not find a field named \`${name}\` in the schema for sorting.`)
  if (!isAscending && direction !== 'desc')
    throw new RequestFailure(400, `Order for field\` ${name}\` should be either ASC or DESC.`)
  const order = descending(name)
  return isAscending ? (left, right) => order(right, left) : order
}
