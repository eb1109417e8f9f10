import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { RawBuilder } from 'kysely'
import type { OnRetriever } from '../timed.ts'
import type { ReadFew } from './postgres/few-satisfying.ts'

/** The input of every retriever. */
export interface RetrieverInput {
  readonly scope: ProjectScope
  readonly readModel: LiveReadModel
  /** The condition that a hit must satisfy, over `m` (`constraint.ts`). */
  readonly condition: RawBuilder<boolean>
  /**
   * Whether forgotten memories are searched too. They are not in the indexes, so the retrievers look at each
   * of them.
   */
  readonly includeForgotten: boolean
  /** Whether words lead to all memories that ever said them, forgotten ones included. Default no. */
  readonly everSaid?: boolean
  /** The most hits wanted. */
  readonly limit: number
  /**
   * The hits that the answer needs. A retriever that has so many may stop somewhat short of `limit`. Default:
   * all of `limit`.
   */
  readonly needed?: number
  /** The number of the project's memories in the indexes, if it is known. */
  readonly indexed?: number
  /**
   * Present if few of the best may satisfy the condition: the search has a filter, a phrase or an exclusion. Then
   * it gives all memories that satisfy it, or null if they are many.
   */
  readonly few?: ReadFew
  /** Whether a lexical score counts how much of the question matched, beside a vector retriever. Default yes. */
  readonly coverage?: boolean
  readonly onRetriever?: OnRetriever | undefined
}
