import { POSTGRES } from '../engine/engine-name.ts'
import { askQuestion } from '../question.ts'
import { search } from '../search.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchAnswer, SearchHit, SearchRequest } from '../search-request.ts'

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
  const question = askQuestion(first.parts, first.request)
  const answers: SearchAnswer[] = []
  for (const { parts, request } of searches) answers.push(await search(parts, request, question))
  return answers
}

/** What a search of one project found. */
interface ProjectAnswer {
  /** The project's name, for what the answer lacks. */
  readonly name: string
  readonly answer: SearchAnswer
}

/**
 * One answer from those of several projects: the hits with the best scores, whichever project they are in. Where tokens
 * are compared a score is the probability that the hit is relevant (`ranking/late`), so scores of different projects
 * compare; other rankings' scores compare only roughly. Hits found by the name of their kind stand first, the newest
 * first, as in one project. Equal scores keep the order of the projects.
 * @param limit the most hits
 */
export function mergeAnswers(given: readonly ProjectAnswer[], limit: number): SearchAnswer {
  const answers = given.map(({ answer }) => answer)
  const hits = answers
    .flatMap((answer) => answer.hits)
    .toSorted(byRank)
    .slice(0, limit)
  const [best] = hits
  // Where one finds nothing, others do.
  const heard = hits.length > 0 ? answers.filter((answer) => answer.hits.length > 0) : answers
  const messages = heard.flatMap(({ message }) => (message === null ? [] : [message]))
  const engines = new Set(answers.map(({ engine }) => engine))
  const [engine = POSTGRES] = engines
  return {
    hits,
    versions: answers.some(({ versions }) => versions === true),
    matchType:
      best === undefined ? null : (answers.find((answer) => answer.hits.includes(best))?.matchType ?? null),
    engine: engines.size === 1 ? engine : POSTGRES,
    degraded: given.flatMap(({ name, answer }) =>
      answer.degraded.map((missing) => `in the project "${name}": ${missing}`),
    ),
    // Of the same words in each.
    message: [...new Set(messages)].join(' ') || null,
    sequence: Math.min(...answers.map(({ sequence }) => sequence)),
  }
}

function byRank(one: SearchHit, other: SearchHit): number {
  const [first, second] = [one.matchType === 'KIND', other.matchType === 'KIND']
  if (first !== second) return first ? -1 : 1
  if (first) return other.memory.state.createdAt.localeCompare(one.memory.state.createdAt)
  return other.score - one.score
}
