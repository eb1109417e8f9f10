import type { OpenEngine } from '@daybook/projection/engine/engine'
import type { RegisteredEngine } from '@daybook/projection/engine/search-engine'
import { createTypesenseClient, type TypesenseSettings } from './client/client.ts'
import { reportTypesense, typesenseStatus } from './read/report.ts'
import { typesenseSearchEngine } from './search/search-engine.ts'
import { createTypesenseSearch } from './search/typesense-search.ts'
import { TYPESENSE, TYPESENSE_LAYOUT } from './write/generation.ts'
import { type TypesenseWriteOptions, typesenseRebuildableProjection } from './write/rebuildable.ts'

/** Searches by words and vectors on a Typesense server. */
export const typesenseEngine: RegisteredEngine = {
  name: TYPESENSE,
  title: 'Typesense',
  layout: TYPESENSE_LAYOUT,
  setting: 'TYPESENSE_URL',
  isConfigured: ({ typesense }) => typesense !== undefined,
  open: ({ typesense }) => (typesense === undefined ? null : openTypesense(typesense)),
  inspect: ({ typesense }, live) => {
    if (typesense === undefined) throw new Error('Typesense is not configured')
    return reportTypesense(typesense, live)
  },
  status: typesenseStatus,
  openSearch: ({ typesense }, logger) =>
    typesense === undefined
      ? null
      : typesenseSearchEngine(
          createTypesenseSearch({
            url: typesense.url,
            apiKey: typesense.apiKey,
            timeoutMs: typesense.searchTimeMs,
            onOpen: (error) =>
              logger.warn({ error }, 'Typesense does not answer searches; Postgres answers until it does'),
            onClose: () => logger.info('Typesense answers searches again'),
          }),
        ),
}

/** Opens the engine on a server. It need not be reachable. */
export function openTypesense(
  settings: TypesenseSettings & Pick<TypesenseWriteOptions, 'base' | 'leaseMs'>,
): OpenEngine {
  const { base, leaseMs } = settings
  const client = createTypesenseClient(settings)
  return {
    name: TYPESENSE,
    layout: TYPESENSE_LAYOUT,
    projection: (options) => typesenseRebuildableProjection({ ...options, client, base, leaseMs }),
    close: client.close,
  }
}
