import { ENGINES } from '@daybook/engines/engines'
import type { Database } from '@daybook/postgres/connect'
import type { ProcessParts } from '@daybook/process/run-process'
import type { Engine } from '@daybook/projection/engine/engine'
import type { EngineSlot } from '@daybook/projection/engine/search-engine'
import { type Generation, liveGeneration } from '@daybook/projection/generations/generations'
import type { Config } from '@daybook/runtime/config'
import { askQuestion, type Question } from '@daybook/search/question'
import type { SearchParts } from '@daybook/search/search-parts'
import type { SearchMode } from '@daybook/search/search-request'
import type { OnRetriever } from '@daybook/search/timed'
import type { Context } from './context.ts'

/**
 * Opens the engines beside Postgres that searches may name, configured or not. It does not wait for them to
 * answer.
 */
export function openSearchEngines(
  config: Config,
  { logger, shutdown }: Pick<ProcessParts, 'logger' | 'shutdown'>,
): EngineSlot[] {
  return ENGINES.flatMap((engine) => {
    if (engine.openSearch === undefined) return []
    const search = engine.openSearch(config, logger)
    if (search !== null) shutdown.add(search.close)
    return [{ name: engine.name, setting: engine.setting, search }]
  })
}

/** An engine with the generation that searches use. */
interface LiveEngine {
  readonly engine: Engine
  readonly live: Generation
}

/**
 * The engines that are configured and were written to. Nobody writes one that is no longer configured, so that it
 * would look broken; the settings check reports it.
 */
export async function liveEngines(db: Database, config: Config): Promise<LiveEngine[]> {
  const found = ENGINES.filter(({ isConfigured }) => isConfigured(config)).map(async (engine) => {
    const live = await liveGeneration(db, engine.name)
    return live === null ? [] : [{ engine, live }]
  })
  return (await Promise.all(found)).flat()
}

/**
 * Begins to embed a query while the generation that will be searched is still looked up. It takes the model of the
 * generation that was searched last; where that is not the right one, because another was swapped in since, the search
 * embeds the query again. The model takes longer than the look-up, so a search ends sooner by what that takes.
 *
 * @throws ValidationError for an empty query
 */
export function embedEarly({ parts, project }: Context, query: string, mode: SearchMode): Question {
  const searched = { scope: project, embedders: parts.embedders, onRetriever: retrieverTimes(parts) }
  const question = askQuestion(searched, { query, mode })
  const { modelId } = parts.liveModel
  if (modelId !== null) void question.queryVector({ modelId })
  return question
}

/** What a search of the request's project needs. */
export async function searchContextOf(context: Context): Promise<SearchParts> {
  const { config, embedders, engines, tokenBits, without } = context.parts
  return {
    scope: context.project,
    readModel: await context.readModel(),
    embedders,
    engines,
    tokenBitsCache: tokenBits,
    onRetriever: retrieverTimes(context.parts),
    halfLifeMs: config.halfLifeMs,
    without,
  }
}

/** Counts how long the parts of searches take. */
function retrieverTimes({ metrics }: Pick<Context['parts'], 'metrics'>): OnRetriever {
  const seconds = metrics.histogram({
    name: 'daybook_search_seconds',
    help: 'Time of one retriever of a search',
    labels: ['retriever'],
  })
  return (retriever, time) => seconds.observe(time, { retriever })
}
