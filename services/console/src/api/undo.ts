import { graphql, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { succeeded } from '@daybook/client/calls/calls'
import { PLAN_UNDO, type UndoAsked, type UndoPlan } from '@daybook/client/documents/writes'
import { read } from './client.ts'

/** What an undo would do; nothing is written. @throws DaybookClientError; the signal's reason */
export const planUndo = async (asked: UndoAsked, signal?: AbortSignal): Promise<UndoPlan> =>
  succeeded((await read(PLAN_UNDO, { ...asked, dryRun: true }, { signal })).result)

const UNDO_OPERATION = graphql(`
  fragment UndoOperation on Operation {
    id type status done total options result error requestedBy createdAt finishedAt
  }`)

const START = mutations.undo('operation { ...UndoOperation }', [UNDO_OPERATION])

/** An undo that was asked for, and how far it is. */
export type UndoOperation = ResultOf<typeof UNDO_OPERATION>

/**
 * Asks for an undo, once. It goes on whether somebody watches or not.
 * @throws DaybookClientError BUSY while another one is at work; after a lost answer, look at `readUndos` before asking again
 */
export async function startUndo(asked: UndoAsked): Promise<UndoOperation> {
  // It takes no key that would make it safe to send twice; a second one finds nothing left to undo.
  const { operation } = succeeded((await read(START, { ...asked, dryRun: false })).result)
  if (operation === null) throw new Error('Daybook only planned the undo')
  return operation
}

const ONE = queries.operation('...UndoOperation', [UNDO_OPERATION])

/** How far an undo is; null if there is no such operation. @throws DaybookClientError; the signal's reason */
export const readUndo = async (id: string, signal?: AbortSignal): Promise<UndoOperation | null> =>
  (await read(ONE, { id }, { signal })).operation

const RECENT = queries.operations('...UndoOperation', [UNDO_OPERATION])

/** The undos among the newest 50 operations, the newest first. @throws DaybookClientError; the signal's reason */
export const readUndos = async (signal?: AbortSignal): Promise<readonly UndoOperation[]> =>
  (await read(RECENT, { first: 50 }, { signal })).operations.filter(({ type }) => type === 'UNDO')
