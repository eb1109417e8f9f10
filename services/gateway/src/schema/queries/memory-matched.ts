import type { EventType } from '@daybook/memory/events'
import { checkFilter, type MemoryFilter } from '@daybook/memory/filter'
import { withoutVectors } from '@daybook/pgvector/read/read-memories'
import { pause } from '@daybook/runtime/backoff'
import { createWakeUp } from '@daybook/runtime/loop'
import { checkQuery, checkShare } from '@daybook/search/check-request'
import { search } from '@daybook/search/search'
import type { SearchHit } from '@daybook/search/search-request'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { waitAtLeast } from '../../find-memories.ts'
import { followJournal } from '../../follow-journal.ts'
import { searchContextOf } from '../../open-search-engines.ts'
import { retryWhileUnavailable } from '../../subscriptions/open-subscriptions.ts'
import { builder } from '../builder.ts'
import { SEARCH_COST } from '../limits.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import { searchHit } from '../types/search-result.ts'

builder.subscriptionField('memoryMatched', (t) =>
  t.field({
    type: searchHit,
    complexity: { field: SEARCH_COST },
    description:
      'A standing question: each memory that is remembered, revised or restored from now on and answers it, as a hit, once it can be found by words and by meaning. Nothing is said of what was there before, and a rebuild of the index repeats nothing.',
    args: {
      query: t.arg.string({ required: true }),
      minScore: t.arg.float({ defaultValue: 0.5, description: 'The least score of what is said, 0 to 1.' }),
      filter: t.arg({ type: memoryFilter }),
    },
    subscribe: (_, { query, minScore, filter }, context) => {
      const asked = { query, minScore: minScore ?? 0.5, filter: checkFilter(filter) }
      checkQuery('query', query)
      checkShare('minScore', asked.minScore)
      return context.subscribe((ended) => followMatches(context, asked, ended))
    },
    resolve: (hit) => hit,
  }),
)

/** After these a memory may answer what it did not answer before. */
const NEWS: ReadonlySet<string> = new Set<EventType>(['MemoryRemembered', 'MemoryRevised', 'MemoryRestored'])

/** Memories that are compared with the question at a time, the most hits of a search. More wait in the journal. */
const MOST = 100

/** Milliseconds between two searches: what is written meanwhile is compared together. */
const EVERY_MS = 250

/** How long a memory is compared again while it has no vector, in milliseconds: longer than the queue of a large import. */
const WITHOUT_VECTOR_MS = 600_000

/** A written memory that has not been compared for good. */
interface Unjudged {
  readonly sequence: number
  readonly until: number
}

interface StandingQuestion {
  readonly query: string
  readonly minScore: number
  readonly filter: MemoryFilter
}

/**
 * Yields what is written and answers a question. The journal says what was written; the search, held to those memories, says
 * whether they answer. What was found by words only and did not answer is compared again when its vector has come.
 */
async function* followMatches(
  context: Context,
  { query, minScore, filter }: StandingQuestion,
  ended: AbortSignal,
): AsyncGenerator<SearchHit, void> {
  const stopping = new AbortController()
  const signal = AbortSignal.any([ended, stopping.signal])
  const unjudged = new Map<string, Unjudged>()
  const [written, judged] = [createWakeUp(), createWakeUp()]
  const follow = async () => {
    for await (const { event, memoryId, sequence } of followJournal(context, null, {}, signal)) {
      if (event !== null && NEWS.has(event.type))
        unjudged.set(memoryId, { sequence, until: performance.now() + WITHOUT_VECTOR_MS })
      else unjudged.delete(memoryId)
      written.raise()
      while (unjudged.size >= MOST && !signal.aborted) await judged.wait(WITHOUT_VECTOR_MS, signal)
    }
  }
  const failures: unknown[] = []
  const following = follow().catch((error: unknown) => {
    failures.push(error)
    written.raise()
  })
  const judge = async (asked: ReadonlyMap<string, Unjudged>): Promise<readonly SearchHit[]> => {
    const newest = Math.max(...Array.from(asked.values(), ({ sequence }) => sequence))
    // Not indexed yet: the next round asks again.
    if ((await waitAtLeast(context, newest, null)) !== null) return []
    const parts = await searchContextOf(context)
    const ids = [...asked.keys()]
    const { hits } = await search(parts, {
      query,
      filter,
      minScore,
      mode: 'HYBRID',
      engine: 'POSTGRES',
      limit: MOST,
      also: sql<boolean>`m.memory_id = any(${ids}::uuid[])`,
    })
    const answers = new Set(hits.map(({ memory }) => memory.state.id))
    const waiting = await withoutVectors(context.project, parts.readModel.tables, ids)
    for (const [id, one] of asked) {
      const isOver = answers.has(id) || !waiting.has(id) || one.until < performance.now()
      // What was written again meanwhile is compared again.
      if (isOver && unjudged.get(id) === one) unjudged.delete(id)
    }
    judged.raise()
    return hits
  }
  try {
    while (!signal.aborted) {
      if (unjudged.size === 0) await written.wait(WITHOUT_VECTOR_MS, signal)
      if (failures.length > 0) throw failures[0]
      if (unjudged.size > 0) yield* await retryWhileUnavailable(() => judge(new Map(unjudged)), signal)
      await pause(EVERY_MS, signal)
    }
  } finally {
    stopping.abort()
    await following
  }
}
