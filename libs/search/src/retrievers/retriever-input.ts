import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { RawBuilder } from 'kysely'
import type { OnRetriever } from '../timed.ts'

/** What every retriever gets. */
export interface RetrieverInput {
  readonly scope: ProjectScope
  readonly readModel: LiveReadModel
  /** What a hit must satisfy, over `m` (`constraint.ts`). */
  readonly condition: RawBuilder<boolean>
  /** Forgotten memories are not in the indexes; where they are asked for, the retrievers look at each of them. */
  readonly includeForgotten: boolean
  /** Hits wanted, at most. */
  readonly limit: number
  /** Hits that the answer needs: a retriever that has so many may stop somewhat short of `limit`. Default: all of `limit`. */
  readonly needed?: number
  /** Whether the condition may leave few of the best: the search has a filter, a phrase or an exclusion. Default no. */
  readonly narrowed?: boolean
  readonly onRetriever?: OnRetriever | undefined
}
