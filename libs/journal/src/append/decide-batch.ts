import { withWriter } from '@daybook/memory/authors'
import type { Command } from '@daybook/memory/commands'
import { decide } from '@daybook/memory/decide'
import { followingParts, partsOf } from '@daybook/memory/documents/following-parts'
import { ConflictError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { newSalts } from '@daybook/memory/event-hash'
import {
  type EventMetadata,
  type JournalCursor,
  type LinkedEvent,
  type NewEvent,
  SCHEMA_VERSION,
} from '@daybook/memory/events'
import {
  countsAsExisting,
  identityKeyOf,
  identityKeyOfInput,
  partKey,
} from '@daybook/memory/existing/on-existing'
import { newId } from '@daybook/memory/id'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type ChainedEvent, chainEvents } from '../chain/check-chain.ts'
import {
  type Appended,
  type AppendOutcome,
  type AppendRequest,
  isHashOf,
  type RecordedMemory,
  requestHash,
} from './append-request.ts'
import {
  type BatchContext,
  type KeyUse,
  readableMemory,
  supersededBy,
  versionBack,
  versionKey,
} from './batch-context.ts'

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

/** A memory sent late keeps its original time. */
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
      use.memoryId,
    )
  const result = readableMemory(context.versions.get(versionKey(use.memoryId, use.version)))
  // The command does not run again: a late retry must not bring back what was erased.
  if (result === null)
    throw new NotFoundError(`The memory that the idempotency key "${key}" led to was erased: it`)
  return result
}

/** The first event of a memory. */
export interface FirstEvent {
  readonly sequence: number
  readonly memory_id: string
}

/**
 * The first events of memories after a sequence (exclusive) and up to another (inclusive), in journal order,
 * at most `limit`. They list the memories that exist. The next page begins after the last one's sequence.
 */
export function readFirstEvents(
  { db, projectId }: ProjectScope,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<FirstEvent[]> {
  return db
    .selectFrom('events')
    .select(['sequence', 'memory_id'])
    .where('project_id', '=', projectId)
    .where('version', '=', 1)
    .where('sequence', '>', after)
    .where('sequence', '<=', upTo)
    .orderBy('sequence')
    .limit(limit)
    .execute()
}

/** What a command comes to. */
interface DecidedCommand {
  /** The memory that the command changes, before it; null if there is none. */
  readonly before: RecordedMemory | null
  /** The events, those of a document's further parts first and the memory's own last; none if nothing changes. */
  readonly events: readonly NewEvent[]
}

/**
 * Decides one command on what the batch knows. A change of a document is also one of its further parts.
 * @throws ValidationError, ConflictError, NotFoundError; the error of a memory that cannot be read
 */
export function decideCommand(
  context: BatchContext,
  command: Command,
  now: string,
  isWithheld?: AppendRequest['isWithheld'],
): DecidedCommand {
  const isNew = command.type === 'remember'
  const found = isNew ? existing(context, command, now) : readableMemory(context.memories.get(command.id))
  const version = versionBack(command)
  const restored = version === null ? null : versionKey(command.id, version)
  const superseded = supersededBy(command)
  const event = decide(command, {
    memory: isNew ? null : found,
    existing: isNew ? found : null,
    supersededIsThere: superseded === null || readableMemory(context.memories.get(superseded)) !== null,
    earlier: restored === null ? null : (readableMemory(context.versions.get(restored))?.state ?? null),
    now,
    ...(isWithheld !== undefined && { isWithheld }),
  })
  // A second memory with the same key has nothing before it.
  const before = event?.version === 1 ? null : found
  if (before === null && event !== null && context.memories.has(event.memoryId))
    throw new ValidationError('id', 'is that of another memory: give each new memory an id of its own')
  const after = event?.data.state ?? before?.state
  if (after === undefined) return { before, events: [] }
  // An undo names every memory that changed, parts too.
  if (command.type === 'undo') return { before, events: event === null ? [] : [event] }
  const texts = isNew ? (command.input.furtherParts ?? []) : (context.partTexts.get(restored ?? '') ?? null)
  const parts = partsIn(context, after.id, Math.max(partsOf(before?.state), partsOf(after)))
  const ofParts = followingParts({ before: before?.state ?? null, after, texts, now }, parts)
  return { before, events: event === null ? ofParts : [...ofParts, event] }
}

/** The memory that is the thing to be remembered: the newest, if there are several. */
function existing(
  { byIdentity, memories }: BatchContext,
  { input }: Extract<Command, { type: 'remember' }>,
  now: string,
): RecordedMemory | null {
  const key = identityKeyOfInput(input.content, input.context)
  if (key === null) return null
  for (const id of byIdentity.get(key) ?? []) {
    const memory = readableMemory(memories.get(id))
    if (memory !== null && countsAsExisting(memory.state, key, now)) return memory
  }
  return null
}

/** The memories that are the further parts of a document, by number. */
function partsIn({ byIdentity, memories }: BatchContext, document: string, count: number) {
  const parts = new Map<number, RecordedMemory>()
  for (let number = 2; number <= count; number += 1) {
    const key = partKey(document, number)
    const part = (byIdentity.get(key) ?? [])
      .map((id) => readableMemory(memories.get(id)))
      .find((memory) => memory !== null && identityKeyOf(memory.state) === key)
    if (part != null) parts.set(number, part)
  }
  return parts
}

/** Lets the batch's later commands see a memory as it is now. */
function noteMemory({ memories, versions, byIdentity }: BatchContext, memory: RecordedMemory): void {
  const { id } = memory.state
  memories.set(id, memory)
  versions.set(versionKey(id, memory.version), memory)
  const key = identityKeyOf(memory.state)
  if (key === null) return
  byIdentity.set(key, [id, ...(byIdentity.get(key) ?? []).filter((other) => other !== id)])
}
