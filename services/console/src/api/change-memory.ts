import { graphql, type InputOf } from '@daybook/api/graphql'
import { succeeded } from '@daybook/client/calls/calls'
import { FAILURE } from '@daybook/client/documents/failure'
import { FORGET, RESTORE, REVISE } from '@daybook/client/documents/writes'
import { change, read } from './client.ts'
import { refresh } from './refresh.ts'

/*
 * Changes of one memory. Each is done when the lists and pages can show it, and lets them ask again.
 */

const READABLE = graphql(
  'query Readable($id: ID!, $atLeast: Int!) { memory(id: $id, atLeast: $atLeast) { id } }',
)

/** Waits until a change can be read; later, pages show the state before it for a moment, which is no failure. */
async function shown(id: string, sequence: number): Promise<void> {
  await read(READABLE, { id, atLeast: sequence }).catch(() => undefined)
  refresh()
}

/** What a revision changes; what is not given stays. */
export type Revision = InputOf<'ReviseInput'>

/** @param expectedVersion the version that was on the screen @throws DaybookClientError VERSION_CONFLICT, … */
export async function revise(id: string, input: Revision, expectedVersion: number): Promise<void> {
  const { sequence } = await change(
    REVISE,
    (idempotencyKey) => ({ id, input, expectedVersion, idempotencyKey }),
    ({ result }) => succeeded(result),
  )
  await shown(id, sequence)
}

/** @throws DaybookClientError */
export async function forget(id: string, expectedVersion: number): Promise<void> {
  const { sequence } = await change(
    FORGET,
    (idempotencyKey) => ({ id, expectedVersion, idempotencyKey }),
    ({ result }) => succeeded(result),
  )
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
  const { sequence } = await change(
    RESTORE,
    (idempotencyKey) => ({ id, version, expectedVersion, idempotencyKey }),
    ({ result }) => succeeded(result),
  )
  await shown(id, sequence)
}

const ERASE = graphql(
  `mutation Erase($id: ID!) {
    result: erase(id: $id) { __typename ... on Erased { contents behind outOfReach sequence } ...Failure }
  }`,
  [FAILURE],
)

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
  const erased = await change(
    ERASE,
    () => ({ id }),
    ({ result }) => succeeded(result),
  )
  refresh()
  return erased
}
