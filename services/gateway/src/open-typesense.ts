import type { ProcessParts } from '@daybook/process/process-parts'
import type { Config } from '@daybook/runtime/config'
import { createTypesenseSearch, type TypesenseSearch } from '@daybook/search/engine/typesense-search'

/** The Typesense of `TYPESENSE_URL` for searches, which need not be there; null where none is configured. */
export function openTypesense(
  { typesense }: Config,
  { logger, shutdown }: Pick<ProcessParts, 'logger' | 'shutdown'>,
): TypesenseSearch | null {
  if (typesense === undefined) return null
  const search = createTypesenseSearch({
    url: typesense.url,
    apiKey: typesense.apiKey,
    timeoutMs: typesense.searchTimeMs,
    onOpen: (error) =>
      logger.warn({ error }, 'Typesense does not answer searches; Postgres answers until it does'),
    onClose: () => logger.info('Typesense answers searches again'),
  })
  shutdown.add(search.close)
  return search
}
