import { createHash } from 'node:crypto'
import { pause } from '@daybook/runtime/backoff'
import { dataOf } from '../../support/graphql.ts'
import type { Group, JudgedMemory } from '../collection.ts'
import type { Place } from './evaluated-daybook.ts'

/** The metadata field with a memory's id in the collection. */
export const ID_IN_METADATA = 'evaluated'

/** The size of a batch, below the API's limits for one request (500 memories, 1 MiB). */
const BATCH_MEMORIES = 100
const BATCH_CHARACTERS = 300_000

const REMEMBER = `mutation ($inputs: [RememberInput!]!) {
  rememberMany(inputs: $inputs) { __typename ... on DaybookError { message } }
}`

interface Remembered {
  readonly rememberMany: readonly { readonly __typename: string; readonly message?: string }[]
}

/**
 * Remembers the group's memories, in order. Memories from an earlier evaluation are not added twice.
 * @throws Error that names the memory that cannot be remembered
 */
export async function loadMemories(place: Place, { memories }: Group): Promise<void> {
  for (const batch of inBatches(memories)) {
    const { rememberMany } = dataOf(
      await place.ask<Remembered>({
        query: REMEMBER,
        variables: { inputs: batch.map((memory) => toInput(memory, place)) },
      }),
    )
    for (const [index, { __typename: type, message }] of rememberMany.entries())
      if (type !== 'Remembered') throw new Error(`${batch[index]?.id} cannot be remembered: ${message}`)
  }
}

/** A memory as the API takes it, with its id in the collection and its group's category. */
export function toInput(
  { id, input }: Pick<JudgedMemory, 'id' | 'input'>,
  { category }: Pick<Place, 'category'>,
) {
  const { metadata, categories } = input
  const tagged = {
    ...input,
    metadata: { ...(metadata as object | undefined), [ID_IN_METADATA]: id },
    categories: [...((categories as string[] | undefined) ?? []), category],
  }
  const content = createHash('sha256').update(JSON.stringify(tagged)).digest('hex')
  return { ...tagged, idempotencyKey: `eval ${content}` }
}

/** Parts of a list that fit into one request each. */
export function inBatches<Memory extends Pick<JudgedMemory, 'input'>>(
  memories: readonly Memory[],
): Memory[][] {
  const batches: Memory[][] = []
  let characters = Number.POSITIVE_INFINITY
  for (const memory of memories) {
    const length = JSON.stringify(memory.input).length
    const last = batches.at(-1)
    if (last === undefined || last.length >= BATCH_MEMORIES || characters + length > BATCH_CHARACTERS) {
      batches.push([memory])
      characters = length
    } else {
      last.push(memory)
      characters += length
    }
  }
  return batches
}

interface Status {
  readonly name: string
  readonly lag: number
  readonly pendingEmbeddings: number
  readonly parked: number
}

/** Waiting ends after this long without progress, in milliseconds. A model takes seconds to load. */
const STALL_MS = 120_000
const SAY_EVERY_MS = 5_000

/**
 * Waits until every index has all memories of the project and, if they are needed, all vectors.
 * @throws Error if an event was parked, or nothing moves any more
 */
export async function untilSearchable(
  place: Place,
  vectors: boolean,
  report: (line: string) => void,
): Promise<void> {
  const query = '{ projections { name lag pendingEmbeddings parked } }'
  let [state, movedAt, saidAt] = ['', performance.now(), performance.now()]
  for (;;) {
    const { projections } = dataOf(await place.ask<{ projections: Status[] }>({ query }))
    const stuck = projections.find(({ parked }) => parked > 0)
    if (stuck !== undefined) throw new Error(`${stuck.name} could not apply ${stuck.parked} events`)
    const open = projections.filter(
      ({ lag, pendingEmbeddings }) => lag > 0 || (vectors && pendingEmbeddings > 0),
    )
    if (open.length === 0) return
    const now = open
      .map(
        ({ name, lag, pendingEmbeddings }) => `${name}: ${lag} behind, ${pendingEmbeddings} without vectors`,
      )
      .join('; ')
    if (now !== state) [state, movedAt] = [now, performance.now()]
    else if (performance.now() - movedAt > STALL_MS)
      throw new Error(`the indexes do not come further: ${now}`)
    if (performance.now() - saidAt > SAY_EVERY_MS) {
      report(now)
      saidAt = performance.now()
    }
    await pause(200)
  }
}
