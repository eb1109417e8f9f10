import { graphql, type ResultOf } from '@daybook/api/graphql'
import { MEMORY } from '@daybook/client/documents/memory'
import { memoryContent, ownFields } from '@daybook/client/documents/memory-content'
import { read } from './client.ts'

const WRITER = graphql('fragment Writer on Writer { keyId agent client trust }')

const ONE = graphql(
  `query OneMemory($id: ID!, $atLeast: Int) {
    memory(id: $id, atLeast: $atLeast) {
      ...Memory ...MemoryContent shared
      writtenBy { ...Writer } editedBy { ...Writer } quarantine { since reason }
      supersedes { id title } supersededBy { id title }
      part { number document { id title } parts { id title } }
    }
  }`,
  [MEMORY, memoryContent(), WRITER],
)

type Answered = NonNullable<ResultOf<typeof ONE>['memory']>

/** Who wrote: only the key is proven. */
export type Writer = NonNullable<Answered['writtenBy']>

/** A memory with everything that its page shows. */
export type WholeMemory = Answered & {
  /** The fields of its kind that are set, as the API's inputs name them. */
  readonly own: Readonly<Record<string, unknown>>
}

/**
 * A memory by its id, forgotten or not; null if there is none.
 * @param atLeast the sequence that must be readable; null: as it can be read now
 * @throws DaybookClientError; the signal's reason
 */
export async function readMemory(
  id: string,
  atLeast: number | null,
  signal?: AbortSignal,
): Promise<WholeMemory | null> {
  const { memory } = await read(ONE, { id, atLeast }, { signal })
  return memory === null ? null : { ...memory, own: ownFields(memory) }
}
