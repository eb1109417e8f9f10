import { checkQuery } from '../check-request.ts'
import { embedOnce } from '../engine/search-engines.ts'
import { search } from '../search.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchAnswer, SearchRequest } from '../search-request.ts'

/** A search of one project. */
export interface ProjectSearch {
  /** With the project's own scope. */
  readonly parts: SearchParts
  readonly request: SearchRequest
}

/**
 * Searches several projects with the same query, each by itself in its own scope, and embeds the query once. They are
 * searched one after the other, so that a request takes no more connections than any other search.
 * @returns an answer for each project, in their order
 * @throws ValidationError as `search`
 */
export async function searchProjects(searches: readonly ProjectSearch[]): Promise<SearchAnswer[]> {
  const [first] = searches
  if (first === undefined) return []
  const { query, mode } = first.request
  const embedded = embedOnce(first.parts, mode, checkQuery('query', query).wanted)
  const answers: SearchAnswer[] = []
  for (const { parts, request } of searches) answers.push(await search(parts, request, embedded))
  return answers
}
