import type { Collection, Stored } from './collection.ts'
import type { Allowed } from './match-filter.ts'
import { RequestFailure } from './reply.ts'
import { isVector } from './schema.ts'
import { cosineDistance, normalised } from './vectors.ts'

export interface VectorHit {
  readonly stored: Stored
  readonly distance: number
}

export interface VectorQuery {
  readonly field: string
  readonly vector: readonly number[]
  readonly k: number
  readonly flatSearchCutoff: number
  readonly distanceThreshold: number
  /** Share of the vector's rank in a hybrid search. */
  readonly alpha: number
}

/** Reads `field:([…], k:…, ef:…, …)`. `ef` has no meaning here, as the search is exact. */
export function readVectorQuery(collection: Collection, text: string, perPage: number): VectorQuery {
  const parts = /^\s*([^:\s]+)\s*:\s*\(\s*\[([^\]]*)\]\s*(?:,(.*))?\)\s*$/s.exec(text)
  if (parts === null) throw new RequestFailure(400, 'Malformed vector query string.')
  const [, name = '', numbers = '', options = ''] = parts
  const field = collection.field(name)
  if (field === undefined || !isVector(field))
    throw new RequestFailure(400, `Field \`${name}\` does not have a vector query index.`)
  const vector = numbers.split(',').map(Number)
  if (vector.some(Number.isNaN))
    throw new RequestFailure(400, 'Malformed vector query string: one of the vector values is not a float.')
  if (vector.length !== field.num_dim)
    throw new RequestFailure(400, `Query field \`${name}\` must have ${field.num_dim} dimensions.`)
  const given = new Map(
    options.split(',').map((option) => {
      const [key = '', value = ''] = option.split(':')
      return [key.trim(), Number(value)] as const
    }),
  )
  return {
    field: name,
    vector,
    k: given.get('k') || perPage,
    flatSearchCutoff: given.get('flat_search_cutoff') ?? 0,
    distanceThreshold: given.get('distance_threshold') ?? Number.POSITIVE_INFINITY,
    alpha: given.get('alpha') ?? 0.3,
  }
}

/** What rounding to single precision may make of a sum of some hundred products. */
const ROUNDING = 1e-4

/** The nearest, nearest first. Where the filter leaves fewer than `flat_search_cutoff`, all of them, as recorded. */
export function searchVectors(collection: Collection, query: VectorQuery, allowed: Allowed): VectorHit[] {
  const rows = collection.vectors(query.field)
  if (rows === undefined) return []
  const wanted = normalised(query.vector)
  const cutoff = query.flatSearchCutoff
  const most = cutoff > 0 && allowed.all.length < cutoff ? allowed.all.length : query.k
  let nearest: VectorHit[] = []
  let farthest = query.distanceThreshold
  // The exact distance and the filter only for what comes near: of 100,000 documents few do.
  const visit = (seq: number, vector: Float32Array): void => {
    const distance = cosineDistance(wanted, vector)
    const stored = collection.bySeq(seq)
    if (stored === undefined || distance > farthest || !allowed.passes(stored)) return
    nearest.push({ stored, distance })
    // Sorted now and then only.
    if (nearest.length < 2 * most) return
    nearest = nearest.toSorted(byDistance).slice(0, most)
    farthest = nearest.at(-1)?.distance ?? farthest
  }
  rows.each(wanted, () => 1 - farthest - ROUNDING, visit)
  return nearest.toSorted(byDistance).slice(0, most)
}

const byDistance = (left: VectorHit, right: VectorHit) =>
  left.distance - right.distance || right.stored.seq - left.stored.seq
