import { isKindName, KIND_NAMES } from '@daybook/memory/kinds/index'
import { UsageError } from './cli-error.ts'

/** Kinds as people write them, in the API's spelling. @throws UsageError naming those that there are */
export function toApiKinds(given: readonly string[]): string[] {
  return given.map((kind) => {
    if (!isKindName(kind.toLowerCase()))
      throw new UsageError(`There is no kind "${kind}"`, [`Kinds: ${KIND_NAMES.join(', ')}`])
    return kind.toUpperCase()
  })
}
