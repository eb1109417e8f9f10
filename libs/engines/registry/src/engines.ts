import { pgvectorEngine } from '@daybook/pgvector/engine'
import type { OpenEngine } from '@daybook/projection/engine/engine'
import type { Config } from '@daybook/runtime/config'
import type { RegisteredEngine } from '@daybook/search/engine/search-engine'
import { typesenseEngine } from '@daybook/typesense/engine'

/** Every engine. A new one is a package beside this one and a line here; searches with `AUTO` prefer the first that can. */
export const ENGINES: readonly RegisteredEngine[] = [pgvectorEngine, typesenseEngine]

/** Those that the settings name. They need not answer. */
export const openEngines = (config: Config): OpenEngine[] =>
  ENGINES.flatMap((engine) => engine.open(config) ?? [])
