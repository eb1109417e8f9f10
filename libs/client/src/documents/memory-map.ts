import type { ResultOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'

/** The map of a project's memories, with its points in columns (`toMapPoints`). */
export const MEMORY_MAP = queries.memoryMap(`
  memories newer problem
  operation { id status phase done total error }
  made { madeAt sequence generation model count points { ids x y kinds kind contexts context created } }`)

/** What there is of a map. */
export type AnsweredMap = ResultOf<typeof MEMORY_MAP>['memoryMap']
/** Its points as they are sent. */
export type PackedPoints = NonNullable<AnsweredMap['made']>['points']
