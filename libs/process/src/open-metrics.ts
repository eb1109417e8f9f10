import type { Database } from '@daybook/postgres/connect'
import { readReadings } from '@daybook/projection/positions/readings'
import type { Config } from '@daybook/runtime/config'
import { createMetrics, type ServiceMetrics } from '@daybook/runtime/metrics'
import { readSyncReadings } from '@daybook/sync/follower/readings'
import type { ProcessParts } from './run-process.ts'

/** The metrics of a service, with the readings that only the database knows. */
export function openMetrics(
  service: string,
  db: Database,
  { projectMetrics }: Pick<Config, 'projectMetrics'>,
  { logger }: Pick<ProcessParts, 'logger'>,
): ServiceMetrics {
  return createMetrics({
    service,
    read: async () => [
      ...(await readReadings(db, projectMetrics)),
      ...(await readSyncReadings(db, projectMetrics)),
    ],
    onError: (error) => logger.warn({ error }, 'the metrics lack the readings from the database'),
  })
}
