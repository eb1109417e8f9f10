import { dataOf } from '../support/graphql.ts'
import type { Asked } from './collection.ts'
import type { Place } from './daybook/evaluated-daybook.ts'
import { ID_IN_METADATA } from './daybook/load-memories.ts'
import { type Method, searchDocument } from './method.ts'

/** How many hits to ask for: the deepest measure looks at so many. */
export const HITS = 50

/** The answer to a question. */
export interface Answer {
  /** Ids of the memories found, best first. */
  readonly found: readonly string[]
  /** Their scores, 0 to 1. */
  readonly scores: readonly number[]
  /** Milliseconds until the answer arrived, over HTTP. */
  readonly ms: number
  /** What was missing, in words. */
  readonly degraded: readonly string[]
}

interface Searched {
  readonly search: {
    readonly degraded: readonly string[]
    readonly engine: string
    readonly hits: readonly {
      readonly score: number
      readonly memory: { readonly metadata: Readonly<Record<string, unknown>> }
    }[]
  }
}

/**
 * Asks one question.
 * @throws Error if the answer is incomplete (no embedder, no Typesense): it would not measure what its name
 * says
 */
export async function ask(place: Place, method: Method, question: Asked): Promise<Answer> {
  const answer = await askIncomplete(place, method, question)
  if (answer.degraded.length > 0)
    throw new Error(`the answer to ${question.id} is not complete: ${answer.degraded.join('; ')}`)
  return answer
}

/** Asks one question, and takes an answer that may be incomplete: `degraded` says what is missing. */
export async function askIncomplete(place: Place, method: Method, question: Asked): Promise<Answer> {
  const filter = {
    ...question.filter,
    ...(place.shared ? { categories: [place.category] } : {}),
  }
  const started = performance.now()
  const answer = await place.ask<Searched>({
    query: searchDocument(method),
    variables: { query: question.text, filter, limit: HITS },
  })
  const ms = performance.now() - started
  const { search } = dataOf(answer)
  return {
    found: search.hits.map(({ memory }) => String(memory.metadata[ID_IN_METADATA])),
    scores: search.hits.map(({ score }) => score),
    ms,
    degraded: search.degraded,
  }
}
