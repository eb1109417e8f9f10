import type { SearchParts } from '@daybook/search/search-parts'
import type { Context } from './context.ts'

/** What a search of the request's project needs. */
export async function searchPartsOf(context: Context): Promise<SearchParts> {
  const { config, embedders, engines, metrics, without } = context.parts
  const seconds = metrics.histogram({
    name: 'daybook_search_seconds',
    help: 'Time of one retriever of a search',
    labels: ['retriever'],
  })
  return {
    scope: context.project,
    readModel: await context.readModel(),
    embedders,
    engines,
    tokenBitsCache: context.tokenBits,
    onRetriever: (retriever, time) => seconds.observe(time, { retriever }),
    halfLifeMs: config.halfLifeMs,
    without,
  }
}
