import { sql } from 'kysely'
import { checkQuery } from '../check-request.ts'
import { search } from '../search.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchAnswer } from '../search-request.ts'
import type { ListRequest } from './named.ts'

/**
 * Memories of the category `emotion` by their meaning: "happy" finds joy. It runs on Postgres. Without an embedder it
 * finds words only, and says so.
 * @throws ValidationError
 */
export async function searchByEmotion(
  parts: SearchParts,
  emotion: string,
  { filter, limit }: ListRequest,
): Promise<SearchAnswer> {
  checkQuery('emotion', emotion)
  const answer = await search(parts, {
    query: emotion,
    filter,
    mode: 'HYBRID',
    engine: 'POSTGRES',
    limit,
    also: sql<boolean>`m.categories @> '{emotion}'`,
  })
  if (answer.hits.length > 0) return answer
  const hint = 'Only memories of the category emotion count.'
  return { ...answer, message: `No memory is about feeling "${emotion}". ${hint}` }
}
