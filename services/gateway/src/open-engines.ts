import { ENGINES } from '@daybook/engines/engines'
import type { ProcessParts } from '@daybook/process/process-parts'
import type { Config } from '@daybook/runtime/config'
import type { EngineSlot } from '@daybook/search/engine/search-engine'

/** The engines that searches may ask for beside Postgres, configured or not. They need not answer. */
export function openEngines(
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
