import { ENGINES } from '@daybook/engines/engines'
import type { ProcessParts } from '@daybook/process/process-parts'
import type { EngineSlot } from '@daybook/projection/engine/search-engine'
import type { Config } from '@daybook/runtime/config'

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
