import type { SearchParts } from '@daybook/search/search-parts'
import type { OnRetriever } from '@daybook/search/timed'
import type { Context } from './context.ts'

/** What a search of the request's project needs. */
export async function searchPartsOf(context: Context): Promise<SearchParts> {
  const { config, embedders, engines, without } = context.parts
  return {
    scope: context.project,
    readModel: await context.readModel(),
    embedders,
    engines,
    tokenBitsCache: context.tokenBits,
    onRetriever: retrieverTimes(context.parts),
    halfLifeMs: config.halfLifeMs,
    without,
  }
}

/** Counts how long the parts of searches take. */
export function retrieverTimes({ metrics }: Pick<Context['parts'], 'metrics'>): OnRetriever {
  const seconds = metrics.histogram({
    name: 'daybook_search_seconds',
    help: 'Time of one retriever of a search',
    labels: ['retriever'],
  })
  return (retriever, time) => seconds.observe(time, { retriever })
}
