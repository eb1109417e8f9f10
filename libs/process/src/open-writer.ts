import { hostname } from 'node:os'
import { createJournalWriter, type JournalWriter } from '@daybook/journal/append/journal-writer'
import { type Database, withTimeout } from '@daybook/postgres/connect'
import type { Config } from '@daybook/runtime/config'
import type { ServiceMetrics } from '@daybook/runtime/metrics'
import { type HomeOf, homesAs } from '@daybook/sync/follower/home-client'
import { routeToHomes } from '@daybook/sync/follower/route-to-homes'
import type { Bus } from '@daybook/transport/bus'
import { type OnCommitted, openRelay } from './open-bus.ts'
import type { ProcessParts } from './run-process.ts'

/** The way into journals, here and at the homes of followed projects. */
export interface OpenedWriter {
  readonly writer: JournalWriter
  /** Brings committed events to the bus. */
  readonly onCommitted: OnCommitted
  /** A client of a project's home elsewhere, in the name of this machine. */
  readonly homeOf: HomeOf
}

/**
 * Opens the path from the journal to the bus, journal writer ▶ relay ▶ bus, and the one to homes.
 * @param onBranched called when something was written into a branch
 */
export function openWriter(
  config: Config,
  {
    db,
    bus,
    metrics,
    onBranched,
  }: {
    readonly db: Database
    readonly bus: Bus
    readonly metrics: ServiceMetrics
    readonly onBranched?: () => void
  },
  { logger, shutdown }: Pick<ProcessParts, 'logger' | 'shutdown'>,
): OpenedWriter {
  const limited = withTimeout(db, config.statementTimeoutMs)
  const onCommitted = openRelay(config, { db: limited, bus, metrics, logger, shutdown })
  const own = createJournalWriter(onCommitted, metrics, logger)
  const homeOf = homesAs(hostname())
  const branched: OnCommitted = (projectId, events) => {
    onCommitted(projectId, events)
    onBranched?.()
  }
  return { writer: routeToHomes(own, { homeOf, onCommitted: branched }), onCommitted, homeOf }
}
