import type { InputOf } from '@daybook/api/graphql'
import { isKindName, KIND_NAMES, type KindName } from '@daybook/memory/kinds/index'
import { UsageError } from './cli-error.ts'

/** Converts kinds as people write them to the API's spelling. @throws UsageError that lists the kinds */
export function toApiKinds(given: readonly string[]): InputOf<'MemoryKind'>[] {
  return given.map((kind) => {
    const name = kind.toLowerCase()
    if (!isKindName(name))
      throw new UsageError(`There is no kind "${kind}"`, [`Kinds: ${KIND_NAMES.join(', ')}`])
    return name.toUpperCase() as Uppercase<KindName>
  })
}
