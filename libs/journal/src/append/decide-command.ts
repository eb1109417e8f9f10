import type { Command } from '@daybook/memory/commands'
import { decide } from '@daybook/memory/decide'
import { followingParts, partsOf } from '@daybook/memory/documents/following-parts'
import { ValidationError } from '@daybook/memory/errors'
import type { NewEvent } from '@daybook/memory/events'
import { identityKeyOf, identityKeyOfInput, partKey } from '@daybook/memory/existing/identity-key'
import { countsAsExisting } from '@daybook/memory/existing/on-existing'
import type { AppendRequest, RecordedMemory } from './append-request.ts'
import { type BatchContext, readableMemory, supersededBy, versionBack, versionKey } from './batch-context.ts'

/** What a command comes to. */
export interface DecidedCommand {
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
export function noteMemory({ memories, versions, byIdentity }: BatchContext, memory: RecordedMemory): void {
  const { id } = memory.state
  memories.set(id, memory)
  versions.set(versionKey(id, memory.version), memory)
  const key = identityKeyOf(memory.state)
  if (key === null) return
  byIdentity.set(key, [id, ...(byIdentity.get(key) ?? []).filter((other) => other !== id)])
}
