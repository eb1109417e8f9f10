import { once } from 'node:events'
import type { ClientBase } from 'pg'
import { to as copyTo } from 'pg-copy-streams'

/** Takes the bytes of a copy as they come, in pieces of any size. */
export type TakeBytes = (bytes: Buffer) => void

/** Statements whose result does not come as rows. Their only value is what takes the bytes. */
const COPIES = /^copy \(/u

/** Whether `copyOut` runs this statement. */
export const isCopyOut = (text: string, values: readonly unknown[]): values is readonly [TakeBytes] =>
  COPIES.test(text) && values.length === 1 && typeof values[0] === 'function'

/**
 * Runs `copy (…) to stdout`, which pg by itself cannot.
 *
 * @throws what the server or `take` throws; the copy still runs to its end, so that the connection stays usable
 */
export async function copyOut(ask: ClientBase['query'], text: string, take: TakeBytes): Promise<object> {
  const copied = ask(copyTo(text))
  let failed: { readonly error: unknown } | null = null
  copied.on('data', (bytes: Buffer) => {
    if (failed !== null) return
    try {
      take(bytes)
    } catch (error) {
      failed = { error }
    }
  })
  await once(copied, 'end')
  if (failed !== null) throw (failed as { readonly error: unknown }).error
  return { command: 'COPY', rows: [] }
}
