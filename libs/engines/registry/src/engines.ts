import { pgvectorEngine } from '@daybook/pgvector/engine'
import type { OpenEngine } from '@daybook/projection/engine/engine'
import type { RegisteredEngine } from '@daybook/projection/engine/search-engine'
import type { Config } from '@daybook/runtime/config'
import { typesenseEngine } from '@daybook/typesense/engine'

/**
 * Every engine, in order of preference: `AUTO` searches ask the first one beside Postgres that is configured. A
 * new engine is a package beside this one and a line here.
 */
export const ENGINES: readonly RegisteredEngine[] = [pgvectorEngine, typesenseEngine]

/** The names of all projections, in the same order. */
export const PROJECTIONS: readonly string[] = ENGINES.map(({ name }) => name)

/** Opens the engines that are configured. They need not be reachable. */
export const openEngines = (config: Config): OpenEngine[] =>
  ENGINES.flatMap((engine) => engine.open(config) ?? [])
