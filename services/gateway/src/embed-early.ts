import { checkQuery } from '@daybook/search/check-request'
import { type EmbedOnce, embedOnce } from '@daybook/search/engine/search-engines'
import type { SearchMode } from '@daybook/search/search-request'
import type { Context } from './context.ts'
import { retrieverTimes } from './search-parts-of.ts'

/**
 * Begins to embed a query while the generation that will be searched is still looked up. It takes the model of the
 * generation that was searched last; where that is not the right one, because another was swapped in since, the search
 * embeds the query again. The model takes longer than the look-up, so a search ends sooner by what that takes.
 *
 * @throws ValidationError for an empty query
 */
export function embedEarly(
  { parts, project, liveModel }: Context,
  query: string,
  mode: SearchMode,
): EmbedOnce {
  const { wanted } = checkQuery('query', query)
  const searched = { scope: project, embedders: parts.embedders, onRetriever: retrieverTimes(parts) }
  const embedded = embedOnce(searched, mode, wanted)
  if (liveModel.modelId !== null) void embedded({ modelId: liveModel.modelId })
  return embedded
}
