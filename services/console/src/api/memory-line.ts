import * as queries from '@daybook/api/queries'
import { REOPEN_TODO, RESOLVE_TODO } from '@daybook/client/documents/writes'
import { refresh } from '../components/hooks.ts'
import { change, read } from './client.ts'

/*
 * What the entries of lists ask for. It is apart from `memory.ts`, which brings the definitions of all kinds with it: the
 * first screen does without.
 */

const TEXT = queries.memory('text')

/** A memory's whole text; null if it has none, or is there no more. @throws DaybookClientError */
export const readText = async (id: string, asOf: string | null): Promise<string | null> =>
  (await read(TEXT, { id, asOf })).memory?.text ?? null

const READABLE = queries.memory('id')

/** Waits until a change can be read; later, pages show the state before it for a moment, which is no failure. */
export async function shown(id: string, sequence: number): Promise<void> {
  await read(READABLE, { id, atLeast: sequence }).catch(() => undefined)
  refresh()
}

/** Says that a todo is done, or is not. @throws DaybookClientError */
export async function setDone(id: string, done: boolean): Promise<void> {
  const { sequence } = await change(done ? RESOLVE_TODO : REOPEN_TODO, (idempotencyKey) => ({
    id,
    idempotencyKey,
  }))
  await shown(id, sequence)
}
