import type { Command } from '@daybook/memory/commands'
import { decide } from '@daybook/memory/decide'
import { ConflictError, NotFoundError } from '@daybook/memory/errors'
import { newSalts } from '@daybook/memory/event-hash'
import {
  type EventMetadata,
  type JournalCursor,
  type LinkedEvent,
  type NewEvent,
  SCHEMA_VERSION,
} from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import { type ChainedEvent, chainEvents } from '../chain/chain-events.ts'
import type { Appended, AppendOutcome, AppendRequest, RecordedMemory } from './append-request.ts'
import { type BatchContext, type KeyUse, readableMemory, versionKey } from './batch-context.ts'
import { isHashOf, requestHash } from './request-hash.ts'

/** What one transaction has to write, and the outcome of each request once it is committed. */
export interface DecidedBatch {
  /** The events as stored, and the same events as readers get them, in the same order. */
  readonly rows: readonly ChainedEvent[]
  readonly events: readonly LinkedEvent[]
  readonly newKeyUses: ReadonlyMap<string, KeyUse>
  readonly outcomes: readonly AppendOutcome[]
}

/**
 * Decides the requests one after another. Each sees the effects of those before it. Events get the sequences
 * after `head`, each linked to the event before it. A refused request takes no sequence and does not affect
 * the others.
 */
export function decideBatch(
  requests: readonly AppendRequest[],
  context: BatchContext,
  { projectId, head, now }: { projectId: string; head: JournalCursor; now: string },
): DecidedBatch {
  const salts = newSalts(requests.length)
  const rows: ChainedEvent[] = []
  const events: LinkedEvent[] = []
  let end = head
  const newKeyUses = new Map<string, KeyUse>()

  const place = (decided: NewEvent & EventMetadata): LinkedEvent => {
    const event = {
      ...decided,
      traceparent: decided.traceparent ?? null,
      projectId,
      sequence: end.sequence + 1,
      eventId: newId(),
      recordedAt: now,
    }
    const dataSalt = salts[rows.length]
    if (dataSalt === undefined) throw new Error('a request came to more than one event')
    const [row] = chainEvents(end.hash, [{ ...event, schemaVersion: SCHEMA_VERSION, dataSalt }])
    if (row === undefined) throw new Error('an event was not linked')
    const placed = { ...event, hash: row.hash, previousHash: end.hash }
    rows.push(row)
    events.push(placed)
    end = placed
    return placed
  }

  const one = (request: AppendRequest): Appended => {
    const { command, metadata, idempotencyKey } = request
    const repeated = idempotencyKey == null ? null : repeatedResult(context, idempotencyKey, command)
    if (repeated !== null) return { memory: repeated, event: null, duplicate: true }

    const before = readableMemory(context.memories.get(command.id))
    const earlier =
      command.type === 'restore' && command.version !== undefined
        ? (readableMemory(context.versions.get(versionKey(command.id, command.version)))?.state ?? null)
        : null
    const decided = decide(command, { memory: before, earlier, now })

    let memory = before
    let event: LinkedEvent | null = null
    if (decided !== null) {
      event = place({ ...decided, ...metadata })
      memory = {
        state: decided.data.state,
        version: decided.version,
        sequence: event.sequence,
        hash: event.hash,
      }
    }
    if (memory === null) throw new NotFoundError(`The memory ${command.id}`)
    context.memories.set(command.id, memory)
    context.versions.set(versionKey(command.id, memory.version), memory)
    if (idempotencyKey != null) {
      const use = { hash: requestHash(command), memoryId: command.id, version: memory.version }
      newKeyUses.set(idempotencyKey, use)
      context.keyUses.set(idempotencyKey, use)
    }
    return { memory, event, duplicate: false }
  }

  const outcomes = requests.map((request): AppendOutcome => {
    try {
      return { appended: one(request) }
    } catch (error) {
      return { error: error instanceof Error ? error : new Error(String(error)) }
    }
  })
  return { rows, events, newKeyUses, outcomes }
}

function repeatedResult(context: BatchContext, key: string, command: Command): RecordedMemory | null {
  const use = context.keyUses.get(key)
  if (use === undefined) return null
  if (use.hash !== null && !isHashOf(use.hash, command))
    throw new ConflictError(
      'IDEMPOTENCY_CONFLICT',
      `The idempotency key "${key}" was used for another request: give each request a key of its own`,
      readableMemory(context.memories.get(use.memoryId))?.version ?? use.version,
    )
  const result = readableMemory(context.versions.get(versionKey(use.memoryId, use.version)))
  // The command does not run again: a late retry must not bring back what was erased.
  if (result === null)
    throw new NotFoundError(`The memory that the idempotency key "${key}" led to was erased: it`)
  return result
}
