import type { Collection, Stored } from './collection.ts'
import { isVector } from './field.ts'
import type { Allowed } from './match-filter.ts'
import { RequestFailure } from './reply.ts'
import { comparable, cosineDistance } from './vectors.ts'

/** A document found by its vector. */
export interface VectorHit {
  readonly stored: Stored
  readonly distance: number
}

/** A parsed vector query. */
export interface VectorQuery {
  readonly field: string
  readonly vector: readonly number[]
  readonly k: number
  readonly flatSearchCutoff: number
  readonly distanceThreshold: number
  /** The weight of the vector's rank in a hybrid search. */
  readonly alpha: number
}

const UNSIGNED = /^\d+$/
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * Parses `field:([…], k:…, ef:…, …)` as leniently as the server. `ef` is checked but has no effect, as this
 * search is exact.
 * @throws RequestFailure with the server's message
 */
export function readVectorQuery(collection: Collection, text: string, perPage: number): VectorQuery {
  const malformed = (more = '.') => new RequestFailure(400, `Malformed vector query string${more}`)
  const colon = text.search(/[:([]/)
  if (colon === -1) throw malformed(': `:` is missing.')
  if (text[colon] !== ':') throw malformed(': `:` is missing after the vector field name.')
  const name = text.slice(0, colon).trim()
  const parts = /^[^(]*\([^[]*\[([^\]]*)\](.*)$/s.exec(text.slice(colon + 1))
  if (parts === null) throw malformed()
  const [, numbers = '', rest = ''] = parts
  const values = numbers.split(',').map((value) => value.trim())
  if (!values.every((value) => FLOAT.test(value)))
    throw malformed(': one of the vector values is not a float.')
  const given = new Map<string, string>()
  for (const option of rest.split(',')) {
    const bare = option.replace(/\)\s*$/, '').trim()
    if (bare === '') continue
    const [key = '', value, more] = bare.split(':').map((one) => one.trim())
    if (value === undefined || more !== undefined) throw malformed()
    if (key === 'k' && !UNSIGNED.test(value)) throw malformed(': `k` parameter must be an integer.')
    if (key === 'flat_search_cutoff' && !UNSIGNED.test(value))
      throw malformed(': `flat_search_cutoff` parameter must be an integer.')
    if (key === 'ef' && (!UNSIGNED.test(value) || Number(value) === 0))
      throw malformed(': `ef` parameter must be a positive integer.')
    if (key === 'distance_threshold' && collection.field(name) === undefined)
      throw malformed(`: could not find a field named \`${name}\`.`)
    if (key === 'distance_threshold' && !FLOAT.test(value))
      throw malformed(': `distance_threshold` parameter must be a float.')
    if (key === 'distance_threshold' && (Number(value) < 0 || Number(value) > 2))
      throw malformed(': `distance_threshold` parameter must be a float between 0.0-2.0.')
    given.set(key, value)
  }
  const field = collection.field(name)
  if (field === undefined || !isVector(field))
    throw new RequestFailure(400, `Field \`${name}\` does not have a vector query index.`)
  if (values.length !== field.num_dim)
    throw new RequestFailure(400, `Query field \`${name}\` must have ${field.num_dim} dimensions.`)
  const number = (key: string, otherwise: number) => (given.has(key) ? Number(given.get(key)) : otherwise)
  return {
    field: name,
    vector: values.map(Number),
    k: number('k', 0) || perPage,
    flatSearchCutoff: number('flat_search_cutoff', 0),
    distanceThreshold: number('distance_threshold', Number.POSITIVE_INFINITY),
    alpha: number('alpha', 0.3),
  }
}

/** The most that rounding to single precision may change a sum of some hundred products. */
const ROUNDING = 1e-4

/**
 * The nearest documents, nearest first. All that pass the filter if they are fewer than `flat_search_cutoff`,
 * as recorded.
 */
export function searchVectors(collection: Collection, query: VectorQuery, allowed: Allowed): VectorHit[] {
  const rows = collection.vectors(query.field)
  if (rows === undefined) return []
  const wanted = comparable(query.vector, collection.field(query.field)?.vec_dist)
  const cutoff = query.flatSearchCutoff
  const most = cutoff > 0 && allowed.all.length < cutoff ? allowed.all.length : query.k
  let nearest: VectorHit[] = []
  let farthest = query.distanceThreshold
  // Computes the exact distance and the filter only for near vectors: few of 100,000 are.
  const visit = (seq: number, vector: Float32Array): void => {
    const distance = cosineDistance(wanted, vector)
    const stored = collection.bySeq(seq)
    if (stored === undefined || distance > farthest || !allowed.passes(stored)) return
    nearest.push({ stored, distance })
    // Sorts only now and then.
    if (nearest.length < 2 * most) return
    nearest = nearest.toSorted(byDistance).slice(0, most)
    farthest = nearest.at(-1)?.distance ?? farthest
  }
  rows.each(wanted, () => 1 - farthest - ROUNDING, visit)
  return nearest.toSorted(byDistance).slice(0, most)
}

const byDistance = (left: VectorHit, right: VectorHit) =>
  left.distance - right.distance || right.stored.seq - left.stored.seq
