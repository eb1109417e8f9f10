import { ENGINES } from '@daybook/engines/engines'
import type { Database } from '@daybook/postgres/connect'
import type { Engine } from '@daybook/projection/engine/engine'
import { type Generation, liveGeneration } from '@daybook/projection/generations/generations'
import type { Config } from '@daybook/runtime/config'

/** An engine with the generation that searches use. */
export interface LiveEngine {
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
