import { graphql, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { succeeded } from '@daybook/client/calls/calls'
import { PLAN_UNDO, type UndoAsked, type UndoPlan } from '@daybook/client/documents/writes'
import { read } from './client.ts'
import { readHead } from './journal.ts'

/** What an undo would do; nothing is written. @throws DaybookClientError; the signal's reason */
export const planUndo = async (asked: UndoAsked, signal?: AbortSignal): Promise<UndoPlan> =>
  succeeded((await read(PLAN_UNDO, { ...asked, dryRun: true }, { signal })).result)

const NAMES = graphql(
  `query UndoNames($after: Int, $first: Int) {
    facets(values: 200) { agents { value } contexts { value } }
    journal(after: $after, first: $first) { actor }
  }`,
)

/** The newest events whose keys are offered: an undo is about what was done lately. */
const EVENTS = 500

/** The agents and contexts that there are, and the keys that wrote lately. @throws DaybookClientError; the signal's reason */
export async function readNames(signal?: AbortSignal): Promise<{
  readonly agents: readonly string[]
  readonly contexts: readonly string[]
  readonly keys: readonly string[]
}> {
  const after = Math.max(0, (await readHead(signal)) - EVENTS)
  const { facets, journal } = await read(NAMES, { after, first: EVENTS }, { signal })
  return {
    agents: facets.agents.map(({ value }) => value),
    contexts: facets.contexts.map(({ value }) => value),
    keys: [...new Set(journal.flatMap(({ actor }) => actor ?? []))],
  }
}

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
