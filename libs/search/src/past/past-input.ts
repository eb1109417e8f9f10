import type { RawBuilder } from 'kysely'
import type { RetrieverInput } from '../retrievers/query-terms.ts'
import type { FoundTexts } from './past-texts.ts'

/** What the retrievers of past texts need. */
export interface PastInput extends RetrieverInput {
  /** The texts: a relation with the columns of `memories` (`past-texts.ts`). */
  readonly past: RawBuilder<unknown>
  /** Where found texts are noted. */
  readonly texts: FoundTexts
}
