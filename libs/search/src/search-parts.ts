import type { Embedders } from '@daybook/embeddings/embedders'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { EngineSlot } from './engine/search-engine.ts'
import type { OnRetriever } from './timed.ts'

/** What a search works with. */
export interface SearchParts {
  readonly scope: ProjectScope
  readonly readModel: LiveReadModel
  readonly embedders: Embedders
  /** What may be asked for beside Postgres, the first first. Default nothing. */
  readonly engines?: readonly EngineSlot[]
  /** Hears how long each retriever took, for the metrics. */
  readonly onRetriever?: OnRetriever | undefined
  /** For tests: runs between the retrievers and the statement that reads the hits. */
  readonly beforeHits?: (() => Promise<void>) | undefined
}
