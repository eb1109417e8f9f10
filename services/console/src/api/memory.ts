import { graphql, type InputOf, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { MEMORY } from '@daybook/client/documents/memory'
import { memoryContent, ownFields } from '@daybook/client/documents/memory-content'
import { FORGET, RESTORE, REVISE } from '@daybook/client/documents/writes'
import { refresh } from '../components/hooks.ts'
import { change, read } from './client.ts'
import { shown } from './memory-line.ts'

const WRITER = graphql('fragment Writer on Writer { keyId agent client trust }')

const ONE = queries.memory(
  `
  ...Memory ...MemoryContent shared
  writtenBy { ...Writer } editedBy { ...Writer } quarantine { since reason }
  supersedes { id title } supersededBy { id title }
  part { number document { id title } parts { id title } }`,
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
 * @param atLeast the sequence that must be readable; default: as it can be read now
 * @param asOf RFC 3339: as it was then; default: as it is now
 * @throws DaybookClientError; the signal's reason
 */
export async function readMemory(
  id: string,
  { atLeast = null, asOf = null }: { readonly atLeast?: number | null; readonly asOf?: string | null } = {},
  signal?: AbortSignal,
): Promise<WholeMemory | null> {
  const { memory } = await read(ONE, { id, atLeast, asOf }, { signal })
  return memory === null ? null : { ...memory, own: ownFields(memory) }
}

const HISTORY = graphql(`
  query MemoryHistory($id: ID!, $after: String, $first: Int) {
    memory(id: $id) {
      history(first: $first, after: $after) {
        edges { node {
          sequence status type version changed actor recordedAt correlationId writer { keyId agent client trust }
        } }
      }
    }
  }`)

/** What happened to a memory, once. */
export type HistoryEvent = NonNullable<ResultOf<typeof HISTORY>['memory']>['history']['edges'][number]['node']

/** The most events of one page. */
export const HISTORY_PAGE = 50

/**
 * The events of a memory up to a version, the newest first, at most 50.
 * @throws DaybookClientError; the signal's reason
 */
export async function readHistory(
  id: string,
  upTo: number,
  signal?: AbortSignal,
): Promise<readonly HistoryEvent[]> {
  // The API lists the oldest first, and its cursors are versions.
  const after = Math.max(0, upTo - HISTORY_PAGE)
  const request = { id, after: String(after), first: Math.max(1, upTo - after) }
  const { memory } = await read(HISTORY, request, { signal })
  return (memory?.history.edges ?? []).map(({ node }) => node).toReversed()
}

const LISTED = graphql(
  'fragment Beside on Memory { id kind title agent labels context occurredAt createdAt updatedAt trust shared }',
)

const NEIGHBOURS = queries.memory('neighbours { before { ...Beside } after { ...Beside } }', [LISTED])

/** The memories around one in its context, nearest first. */
type Neighbours = NonNullable<ResultOf<typeof NEIGHBOURS>['memory']>['neighbours']

const NONE: Neighbours = { before: [], after: [] }

/** The memories before and after one in its context. @throws DaybookClientError; the signal's reason */
export const readNeighbours = async (id: string, signal?: AbortSignal): Promise<Neighbours> =>
  (await read(NEIGHBOURS, { id }, { signal })).memory?.neighbours ?? NONE

const SIMILAR = queries.similar('hits { score memory { ...Beside } } degraded message', [LISTED])

/** The memories nearest in meaning to one. */
type Similar = ResultOf<typeof SIMILAR>['similar']

/** The six memories nearest in meaning to one. @throws DaybookClientError; the signal's reason */
export const readSimilar = async (id: string, signal?: AbortSignal): Promise<Similar> =>
  (await read(SIMILAR, { id, topK: 6 }, { signal })).similar

/*
 * Changes of one memory. Each is done when the lists and pages can show it, and lets them ask again.
 */

const REMEMBER = mutations.remember(
  'sequence outcome sameText memory { id title } similar { hits { score memory { ...Beside } } }',
  [LISTED],
)

/** A memory to be remembered. */
export type NewMemory = Omit<InputOf<'RememberInput'>, 'idempotencyKey'>

/** What remembering came to, with the memories that say the same or nearly so. */
export type RememberedMemory = Extract<ResultOf<typeof REMEMBER>['result'], { readonly sequence: number }>

/** Remembers something. @throws DaybookClientError */
export async function remember(input: NewMemory): Promise<RememberedMemory> {
  const remembered = await change(REMEMBER, (idempotencyKey) => ({ input: { ...input, idempotencyKey } }))
  await shown(remembered.memory.id, remembered.sequence)
  return remembered
}

/** What a revision changes; what is not given stays. */
export type Revision = InputOf<'ReviseInput'>

/** @param expectedVersion the version that was on the screen @throws DaybookClientError VERSION_CONFLICT, … */
export async function revise(id: string, input: Revision, expectedVersion: number): Promise<void> {
  const { sequence } = await change(REVISE, (idempotencyKey) => ({
    id,
    input,
    expectedVersion,
    idempotencyKey,
  }))
  await shown(id, sequence)
}

/** @throws DaybookClientError */
export async function forget(id: string, expectedVersion: number): Promise<void> {
  const { sequence } = await change(FORGET, (idempotencyKey) => ({ id, expectedVersion, idempotencyKey }))
  await shown(id, sequence)
}

/**
 * Brings a version back, or a forgotten memory as it was.
 * @param version null: the newest of a forgotten memory
 * @throws DaybookClientError
 */
export async function restore(
  id: string,
  version: number | null,
  expectedVersion?: number | undefined,
): Promise<void> {
  const { sequence } = await change(RESTORE, (idempotencyKey) => ({
    id,
    version,
    expectedVersion,
    idempotencyKey,
  }))
  await shown(id, sequence)
}

const ERASE = mutations.erase('contents behind outOfReach sequence')

/** What an erasure came to. */
export interface ErasedMemory {
  /** How many versions lost their content. */
  readonly contents: number
  /** The receipt. */
  readonly sequence: number
  /** Null once search has lost it too; else how far it is behind. */
  readonly behind: string | null
  /** What may hold copies that Daybook cannot reach. */
  readonly outOfReach: readonly string[]
}

/** Erases a memory for good. Asking again is harmless. @throws DaybookClientError */
export async function erase(id: string): Promise<ErasedMemory> {
  const erased = await change(ERASE, () => ({ id }))
  refresh()
  return erased
}

const DIFF = queries.diff('changed { field before after } text { change text }')

/** What differs between two versions of a memory. */
type VersionDiff = NonNullable<ResultOf<typeof DIFF>['diff']>

/** Compares two versions; null if there is no such memory. @throws DaybookClientError; the signal's reason */
export const readDiff = async (
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
  signal?: AbortSignal,
): Promise<VersionDiff | null> => (await read(DIFF, { id, from, to }, { signal })).diff
