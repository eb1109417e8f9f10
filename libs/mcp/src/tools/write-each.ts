import type { z } from 'zod'
import { type WRITTEN_OUTPUT, writtenAnswer } from '../answers/written.ts'
import type { Session } from '../session.ts'
import type { Answer } from './tool.ts'

/**
 * One write for each memory, one after the other, so that they take effect in the order of the ids. A refusal does not end them.
 * @param done in the past tense, for the text and the outcome: `forgotten`
 * @param write asks for one; its idempotency key is drawn for it
 */
export async function writeEach(
  done: string,
  ids: readonly string[],
  session: Session,
  write: (variables: { readonly id: string; readonly idempotencyKey: string }) => Promise<object>,
): Promise<Answer<z.input<typeof WRITTEN_OUTPUT>>> {
  const results: object[] = []
  for (const id of ids) results.push(await write({ id, idempotencyKey: session.newKey(undefined) }))
  return writtenAnswer(done, results as never, { receipts: session.receipts, titled: true })
}
