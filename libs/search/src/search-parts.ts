import type { Embedders } from '@daybook/embeddings/embedders'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { EngineSlot } from '@daybook/projection/engine/search-engine'
import type { TokenBitsCache } from './late-interaction/token-bits-cache.ts'
import type { WithoutTerms } from './ranking/ablation.ts'
import type { OnRetriever } from './timed.ts'

/** What a search needs. */
export interface SearchParts {
  readonly scope: ProjectScope
  readonly readModel: LiveReadModel
  readonly embedders: Embedders
  /** The engines beside Postgres, in order of preference. Default none. */
  readonly engines?: readonly EngineSlot[]
  /** Token bits that searches of this process have read. Default: each search reads all. */
  readonly tokenBitsCache?: TokenBitsCache | undefined
  /** Called with the duration of each retriever, for the metrics. */
  readonly onRetriever?: OnRetriever | undefined
  /** After which an unused memory weighs half (`priors/with-priors.ts`), in milliseconds. Default 30 days. */
  readonly halfLifeMs?: number | undefined
  /** For evaluations: the terms that the ranking leaves out now. Default none. */
  readonly without?: WithoutTerms | undefined
  /** For tests: runs between the retrievers and the statement that reads the hits. */
  readonly beforeHits?: (() => Promise<void>) | undefined
}
