import type { UndoResult, VerifyJournalResult, VerifyResult } from '@daybook/operations/operation-types'
import type { Operation } from '../api/operations.ts'
import { formatCount, formatCounted } from '../components/format.ts'
import { type Outcome, verifiedIndex, verifiedJournal } from './verified.ts'

/** How an operation ended, in words. Of one that has not, what it does. */
export function outcomeOf(operation: Operation): Outcome {
  const { status, error, phase, result } = operation
  if (status === 'FAILED') return plain(false, error ?? 'It does not say why.')
  if (status === 'CANCELLED')
    return plain(
      false,
      operation.type === 'UNDO'
        ? `Cancelled after ${formatCount(operation.done)}. What it had done stays.`
        : 'Cancelled. What it had begun is cleaned up.',
    )
  if (status !== 'SUCCEEDED' || result === null) return plain(true, error ?? phase)
  return succeeded(operation, result)
}

function succeeded({ type, projection }: Operation, result: Readonly<Record<string, unknown>>): Outcome {
  const count = (name: string) => Number(result[name] ?? 0)
  switch (type) {
    case 'VERIFY':
      return verifiedIndex(result as unknown as VerifyResult)
    case 'VERIFY_JOURNAL':
      return verifiedJournal(result as unknown as VerifyJournalResult)
    case 'REINDEX':
      return result['rewritten'] === undefined ? rebuilt(result) : rewritten(result)
    case 'REPLAY':
      return projection === null
        ? plain(true, `${formatCounted(count('published'), 'event')} were published again.`)
        : rewritten(result)
    case 'BACKFILL':
      return plain(
        count('failed') === 0,
        `Vectors made: ${formatCount(count('done'))}; there already: ${formatCount(count('skipped'))}; failed: ${formatCount(count('failed'))}.`,
      )
    case 'RETRY_PARKED':
      return plain(
        count('failed') === 0,
        `Memories up to date again: ${formatCount(count('retried'))}; still parked: ${formatCount(count('failed'))}.`,
      )
    case 'DELETE_PROJECT':
      return plain(
        true,
        `Everything of the project is removed; its journal had ${formatCounted(count('events'), 'event')}.`,
      )
    case 'UNDO':
      return undone(result as unknown as UndoResult)
    default:
      return plain(true, JSON.stringify(result))
  }
}

function rebuilt(result: Readonly<Record<string, unknown>>): Outcome {
  const old = Array.isArray(result['old']) ? result['old'].map(Number) : []
  return plain(
    true,
    `Generation ${Number(result['generation'])} is live, with vectors of ${String(result['model'])}.${
      old.length === 0 ? '' : ` Generation ${old.join(', ')} is kept for a rollback, and up to date.`
    }`,
  )
}

const rewritten = (result: Readonly<Record<string, unknown>>): Outcome =>
  plain(
    Number(result['failed'] ?? 0) === 0,
    `${formatCounted(Number(result['rewritten'] ?? 0), 'memory', 'memories')} written anew in generation ${Number(result['generation'] ?? 0)}.`,
  )

const undone = ({ undone: changed, unchanged, refused, refusals }: UndoResult): Outcome => ({
  ...plain(
    refused === 0,
    `Memories undone: ${formatCount(changed)}; as they should be already: ${formatCount(unchanged)}; refused: ${formatCount(refused)}.`,
  ),
  details: refusals.map(({ memoryId, title, reason }) => `${title ?? '(erased)'} (${memoryId}): ${reason}`),
})

const plain = (good: boolean, sentence: string): Outcome => ({
  good,
  sentence,
  details: [],
  repairable: false,
})
