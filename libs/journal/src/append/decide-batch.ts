import { withWriter } from '@daybook/memory/authors'
import type { Command } from '@daybook/memory/commands'
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
import { decideCommand, noteMemory } from './decide-command.ts'
import { isHashOf, requestHash } from './request-hash.ts'

/** So many random salts at a time, once there is more than one event for a request. */
const MORE_SALTS = 32

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
  {
    projectId,
    head,
    now,
  }: { projectId: string; head: JournalCursor & { readonly epoch: number }; now: string },
): DecidedBatch {
  let salts = newSalts(requests.length)
  const rows: ChainedEvent[] = []
  const events: LinkedEvent[] = []
  const { epoch } = head
  let end: JournalCursor = head
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
    // A document with several parts comes to more than one event.
    if (salts.length === 0) salts = newSalts(MORE_SALTS)
    const dataSalt = salts.pop() as string
    const [row] = chainEvents(end.hash, [{ ...event, epoch, schemaVersion: SCHEMA_VERSION, dataSalt }])
    if (row === undefined) throw new Error('an event was not linked')
    const placed = { ...event, hash: row.hash, previousHash: end.hash }
    rows.push(row)
    events.push(placed)
    end = placed
    return placed
  }

  const one = (request: AppendRequest): Appended => {
    const { command, idempotencyKey } = request
    const { writer = null, ...metadata } = request.metadata
    const repeated = idempotencyKey == null ? null : repeatedResult(context, idempotencyKey, request)
    if (repeated !== null) return { memory: repeated, written: null, event: null, duplicate: true }

    const { before, events: decided } = decideCommand(
      context,
      fromThen(command, request.givenAt),
      now,
      request.isWithheld,
    )
    let memory = before
    let event: LinkedEvent | null = null
    for (const each of decided) {
      event = place({ ...withWriter(each, writer), ...metadata })
      const { sequence, hash } = event
      const written = { state: event.data.state, version: each.version, sequence, hash }
      noteMemory(context, written)
      // The memory's own event is the last. Where only parts changed, the receipt still covers them.
      memory = before !== null && each.memoryId !== before.state.id ? { ...before, sequence, hash } : written
    }
    if (memory === null) throw new NotFoundError(`The memory ${command.id}`)
    if (idempotencyKey != null) {
      const use = {
        hash: request.requestHash ?? requestHash(request.given ?? command),
        memoryId: memory.state.id,
        version: memory.version,
      }
      newKeyUses.set(idempotencyKey, use)
      context.keyUses.set(idempotencyKey, use)
    }
    return { memory, written: event?.type ?? null, event, duplicate: false }
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

/** A new memory that was told earlier is from then. */
function fromThen(command: Command, givenAt: string | undefined): Command {
  if (command.type !== 'remember' || givenAt === undefined || command.input.occurredAt != null) return command
  return { ...command, input: { ...command.input, occurredAt: givenAt } }
}

function isSameRequest(
  stored: Buffer,
  { command, given = command, requestHash: known }: AppendRequest,
): boolean {
  return known === undefined ? isHashOf(stored, given) : stored.equals(known)
}

function repeatedResult(context: BatchContext, key: string, request: AppendRequest): RecordedMemory | null {
  const use = context.keyUses.get(key)
  if (use === undefined) return null
  if (use.hash !== null && !isSameRequest(use.hash, request))
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
