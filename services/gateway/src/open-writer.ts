import { createJournalWriter, type JournalWriter } from '@daybook/journal/append/journal-writer'
import { withTimeout } from '@daybook/postgres/connect'
import type { ProcessParts } from '@daybook/process/process-parts'
import type { Config } from '@daybook/runtime/config'
import { openRelay } from './open-relay.ts'
import type { SharedParts } from './serve.ts'

/** Opens the path from the journal to the bus: journal writer ▶ relay ▶ bus. */
export function openWriter(
  config: Config,
  { db, bus, metrics }: Pick<SharedParts, 'db' | 'bus' | 'metrics'>,
  { logger, shutdown }: Pick<ProcessParts, 'logger' | 'shutdown'>,
): JournalWriter {
  const limited = withTimeout(db, config.statementTimeoutMs)
  const committed = openRelay(config, { db: limited, bus, metrics, logger, shutdown })
  return createJournalWriter(committed, metrics, logger)
}
