import type { Collection, Stored } from './collection.ts'
import { type Field, isNumber } from './field.ts'
import { RequestFailure } from './reply.ts'
import type { SearchParams } from './search-params.ts'

/** The field of this name. @throws RequestFailure if there is none, or it is no facet */
export function facetField(collection: Collection, name: string): Field {
  const field = collection.field(name)
  if (field === undefined || !field.facet)
    throw new RequestFailure(404, `Could not find a facet field named \`${name}\` in the schema.`)
  return field
}

/**
 * Counts the values of fields, most frequent first, of equal counts those of the newest documents. On the real server
 * they are those that were indexed last, in any order within one import. Of a sample the counts are scaled up; the
 * real server takes one of each of its threads' parts of the documents.
 */
export function facetCounts(
  collection: Collection,
  { facetBy, maxFacetValues, facetSample: { percent, threshold } }: SearchParams,
  found: readonly Stored[],
): unknown[] {
  const sampled = percent > 0 && percent < 100 && found.length > threshold
  const every = Math.floor(100 / (percent || 1))
  const newest = found.toSorted((left, right) => right.seq - left.seq)
  const counted = sampled ? newest.filter((_, index) => index % every === 0) : newest
  return facetBy.map((name) => {
    const field = facetField(collection, name)
    const counts = new Map<string, number>()
    const numbers: number[] = []
    for (const { document } of counted) {
      const value = document[name]
      for (const one of Array.isArray(value) ? new Set(value) : value === undefined ? [] : [value]) {
        counts.set(String(one), (counts.get(String(one)) ?? 0) + 1)
        if (typeof one === 'number') numbers.push(one)
      }
    }
    const sum = numbers.reduce((total, number) => total + number, 0)
    return {
      counts: [...counts]
        .toSorted((left, right) => right[1] - left[1])
        .slice(0, maxFacetValues)
        .map(([value, count]) => ({
          count: sampled ? Math.floor(count * (100 / percent)) : count,
          highlighted: value,
          value,
        })),
      field_name: name,
      sampled,
      stats: {
        ...(isNumber(field) && numbers.length > 0
          ? { min: Math.min(...numbers), max: Math.max(...numbers), sum, avg: sum / numbers.length }
          : {}),
        total_values: counts.size,
      },
    }
  })
}
