import type { Embedders } from '@daybook/embeddings/embedders'
import { startGateway } from '@daybook/gateway/start'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import type { AccessTracker } from '@daybook/pgvector/read/access'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { readConfig } from '@daybook/runtime/config'
import { silentLogger } from '@daybook/runtime/logger'
import { createMetrics } from '@daybook/runtime/metrics'
import { homesAs } from '@daybook/sync/follower/home-client'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { askGraphQL, dataOf } from '../src/support/graphql.ts'
import type { SearchCorpus } from './search-corpus.ts'

/** A gateway in this process over a corpus. */
export interface CorpusGateway {
  /** Its address, and a key of the corpus's project. */
  readonly at: { readonly url: string; readonly apiKey: string }
  /** Asks, and throws what went wrong. */
  ask(query: string, variables: Readonly<Record<string, unknown>>): Promise<unknown>
  stop(): Promise<void>
}

/** Starts a gateway. @param access counts the reads; it is not stopped with the gateway */
export async function startCorpusGateway(
  corpus: SearchCorpus,
  embedders: Embedders,
  access: AccessTracker,
): Promise<CorpusGateway> {
  const gateway = await startGateway(
    {
      db: corpus.db,
      homeOf: homesAs('a benchmark'),
      writer: createJournalWriter(() => {}),
      bus: createInProcessBus(),
      signal: createPositionSignal(),
      embedders,
      access,
      engines: [],
      logger: silentLogger,
      config: readConfig({}),
      metrics: createMetrics({ service: 'gateway' }),
    },
    { host: '127.0.0.1', port: 0 },
  )
  const at = { url: gateway.url, apiKey: corpus.apiKey }
  return {
    at,
    ask: async (query, variables) => dataOf(await askGraphQL(at, { query, variables })),
    stop: () => gateway.stop(),
  }
}
