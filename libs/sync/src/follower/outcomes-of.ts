import type { AppendOutcome, AppendRequest } from '@daybook/journal/append/append-request'
import { readContext } from '@daybook/journal/append/batch-context'
import { decideBatch } from '@daybook/journal/append/decide-batch'
import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Decided, Receipt } from '../wire/sent-command.ts'
import { fromWire } from '../wire/wire-error.ts'

/** Nothing that is decided here is written: the receipts say where it stands. */
const NOWHERE = { sequence: 0, hash: '0'.repeat(64), epoch: 1 }

/**
 * What requests came to that the home has decided. A home says where the outcome of a request is, and not what it holds: that is
 * read from the copy, where the request's key says which version it led to. What has not been copied yet is decided here once
 * more, on what is here.
 */
export async function outcomesOf(
  { db, projectId }: ProjectScope,
  requests: readonly AppendRequest[],
  decided: readonly Decided[],
): Promise<readonly AppendOutcome[]> {
  const accepted = requests.filter((_, index) => 'receipt' in (decided[index] as Decided))
  const context = await readContext(db, projectId, accepted)
  const now = new Date().toISOString()
  const { outcomes } = decideBatch(accepted, context, { projectId, head: NOWHERE, now })
  const found = outcomes.values()
  return decided.map((one): AppendOutcome => {
    if ('error' in one) return { error: fromWire(one.error) }
    const outcome = found.next().value as AppendOutcome
    return 'error' in outcome
      ? { error: notHere(one.receipt, outcome.error) }
      : withReceipt(outcome, one.receipt)
  })
}

function withReceipt(
  { appended: { memory } }: Extract<AppendOutcome, { readonly appended: unknown }>,
  { memoryId, version, sequence, hash, written, duplicate }: Receipt,
): AppendOutcome {
  // The home may have found that the new memory is one that it has.
  const state = { ...memory.state, id: memoryId }
  return { appended: { memory: { state, version, sequence, hash }, written, event: null, duplicate } }
}

function notHere({ sequence }: Receipt, cause: Error): Error {
  return cause instanceof DaybookError
    ? new UnavailableError(
        `The home of the project has accepted this as event ${sequence}, which is not here yet: look again in a moment (daybook sync status)`,
        { cause },
      )
    : cause
}
