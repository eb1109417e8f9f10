import type { Embedders } from '@daybook/embeddings/embedders'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { TypesenseSearch } from './engine/typesense-search.ts'
import type { OnRetriever } from './timed.ts'

/** What a search works with. */
export interface SearchParts {
  readonly scope: ProjectScope
  readonly readModel: LiveReadModel
  readonly embedders: Embedders
  /** Null or absent: not configured, everything runs on Postgres. */
  readonly typesense?: TypesenseSearch | null
  /** Hears how long each retriever took, for the metrics. */
  readonly onRetriever?: OnRetriever | undefined
  /** For tests: runs between the retrievers and the statement that reads the hits. */
  readonly beforeHits?: (() => Promise<void>) | undefined
}
