import { authorsOf, haveSameAuthors, withoutWordsOf } from './authors.ts'
import { changedFields } from './changed-fields.ts'
import { check } from './check.ts'
import type { Command, CommonInput } from './commands.ts'
import { COMMON_DEFAULTS, COMMON_FIELD_NAMES, COMMON_FIELDS, type CommonFieldName } from './common-fields.ts'
import { checkContent, reviseContent } from './content.ts'
import { placeInDocument } from './documents/place-in-document.ts'
import { ConflictError, NotFoundError, ValidationError } from './errors.ts'
import type { NewEvent, StateAfter } from './events.ts'
import { keyExists, onExisting } from './existing/on-existing.ts'
import { hasExpired, requireLater, restoredExpiry } from './expiry.ts'
import { formatMemoryId } from './id.ts'
import { kindNamed } from './kinds/index.ts'
import type { CommonFields, Memory, MemoryState } from './state.ts'
import { isBlank } from './text-rules.ts'
import { isTransition, type TransitionName, transitioned } from './transitions.ts'
import type { Writer } from './writer.ts'

/** What a decision depends on besides the command. */
export interface DecisionContext {
  /** The memory now; null if the project has no memory with that id. */
  readonly memory: Memory | null
  /** For a new memory: the memory that is the same thing already, the newest if there are several; else null. */
  readonly existing?: Memory | null
  /** Whether the memory that the input says is superseded is in the project. Default yes. */
  readonly supersededIsThere?: boolean
  /** For a restore to a version: the state at that version; null if there is no such version. */
  readonly earlier: MemoryState | null
  /** Whether a writer is in quarantine. Default nobody. */
  readonly isWithheld?: (writer: Writer) => boolean
  /** The moment of the decision, RFC 3339. It comes from the database's clock, which all gateways share. */
  readonly now: string
}

/**
 * Turns a command into an event. Pure: the same command in the same situation gives the same event.
 * @returns null if the command changes nothing (a revision to the current values, remembering again what is so
 * already, forgetting a forgotten memory)
 * @throws ValidationError, ConflictError, NotFoundError
 */
export function decide(command: Command, situation: DecisionContext): NewEvent | null {
  if (situation.supersededIsThere === false)
    throw new ValidationError('supersedes', 'names no memory of this project: give the id of one that it has')
  if (command.type === 'remember') return remember(command, situation)
  const memory = situation.memory
  if (memory === null) throw new NotFoundError(`The memory ${command.id}`)
  if (command.type === 'expire') return expire(memory, situation.now)
  expectVersion(memory, command.expectedVersion)
  if (isTransition(command.type)) return transition(command.type, memory, situation.now)
  switch (command.type) {
    case 'revise':
      return revise(command, memory, situation.now)
    case 'forget':
      return forget(memory, situation.now)
    case 'restore':
      return restore(command, memory, situation)
    case 'undo':
      return undo(command, memory, situation)
  }
}

function expectVersion(memory: Memory, expected: number | undefined): void {
  if (expected !== undefined && expected !== memory.version)
    throw new ConflictError(
      'VERSION_CONFLICT',
      `The memory is at version ${memory.version}, not at the expected version ${expected}: read it again, then decide again`,
      memory.version,
    )
}

/** Blank names mean "none" for the same reason as in `content.ts`. */
function isEmpty(name: CommonFieldName, value: unknown): boolean {
  return (
    value === null ||
    ((name === 'agent' || name === 'context') && typeof value === 'string' && isBlank(value))
  )
}

function commonFields(current: CommonFields, input: CommonInput): CommonFields {
  const fields: Partial<Record<CommonFieldName, CommonFields[CommonFieldName]>> = {}
  for (const name of COMMON_FIELD_NAMES) {
    const value = input[name]
    if (value === undefined) fields[name] = current[name]
    else if (isEmpty(name, value)) fields[name] = (COMMON_DEFAULTS as CommonFields)[name] ?? null
    else fields[name] = check(name, COMMON_FIELDS[name], value)
    // Few memories supersede another: the others' events do not say that they supersede none.
    if (name === 'supersedes' && fields[name] == null && current[name] == null) delete fields[name]
  }
  return fields as CommonFields
}

function remember(
  command: Extract<Command, { type: 'remember' }>,
  { memory, existing = null, isWithheld = () => false, now }: DecisionContext,
): NewEvent | null {
  if (memory !== null) throw new Error(`a new memory was given the id ${command.id}, which is taken`)
  const { input } = command
  const { kind, content } = checkContent(input.content)
  const mode = onExisting(kind, input.onExisting, kindNamed(kind).key(content) !== null)
  if (existing !== null && mode === 'REJECT') throw keyExists(existing)
  if (existing !== null && mode === 'REVISE') {
    const isHidden = authorsOf(existing.state).some(isWithheld)
    const state = isHidden ? withoutWordsOf(existing.state, isWithheld, COMMON_DEFAULTS) : existing.state
    return rememberAgain(command, existing, { ...state, content }, now)
  }
  const common = commonFields(COMMON_DEFAULTS, input)
  requireLater(common.expiresAt, now)
  const state: MemoryState = {
    id: command.id,
    kind,
    content,
    ...common,
    createdAt: now,
    updatedAt: now,
    forgottenAt: null,
    ...placeInDocument(command.id, kind, input, content),
  }
  refuseItself(state)
  return {
    memoryId: command.id,
    version: 1,
    type: 'MemoryRemembered',
    data: { state, changed: changedFields(null, state) },
  }
}

/**
 * The next version of a memory that is remembered again. Its content, and when it happened and expires, are as
 * told now: an old reasoning must not stand under a new decision, nor an old expiry end a new stash. The other
 * common fields change if they are given.
 * @param known what it has of the memory: the content as told, and the other fields as they were
 */
function rememberAgain(
  { input }: Extract<Command, { type: 'remember' }>,
  existing: Memory,
  known: MemoryState,
  now: string,
): NewEvent | null {
  const { part: _, ...before } = known
  const { content } = before
  const times = { occurredAt: input.occurredAt ?? null, expiresAt: input.expiresAt ?? null }
  const common = commonFields(before, { ...input, ...times })
  requireLater(common.expiresAt, now)
  const next: MemoryState = {
    ...before,
    ...common,
    forgottenAt: null,
    ...placeInDocument(before.id, before.kind, input, content),
  }
  refuseItself(next)
  const again = following(existing, next, now) ?? reattributed(existing, next, now)
  const type = before.forgottenAt === null ? 'MemoryRevised' : 'MemoryRestored'
  return again && { ...again, type, given: givenFields(input, content) }
}

/** The fields that an input gives, by their names in `changedFields`. */
const givenFields = (input: CommonInput, content: object = {}): string[] => [
  ...Object.entries(content).flatMap(([name, value]) => (value === undefined ? [] : [`content.${name}`])),
  ...COMMON_FIELD_NAMES.filter((name) => input[name] !== undefined),
]

function refuseItself({ id, supersedes }: MemoryState): void {
  if (supersedes === id) throw new ValidationError('supersedes', 'must be the id of another memory')
}

function requireRemembered({ state, version }: Memory): void {
  if (state.forgottenAt !== null)
    throw new ConflictError('FORGOTTEN', `The memory is forgotten: restore it before revising it`, version)
}

function revise(command: Extract<Command, { type: 'revise' }>, memory: Memory, now: string): NewEvent | null {
  const { state } = memory
  requireRemembered(memory)
  const { content } = command.input
  const common = commonFields(state, command.input)
  if (command.input.expiresAt !== undefined) requireLater(common.expiresAt, now)
  const next = {
    ...state,
    content: content == null ? state.content : reviseContent(state.kind, state.content, content),
    ...common,
  }
  refuseItself(next)
  if (state.kind === 'document' && next.content['externalId'] !== state.content['externalId'])
    throw new ValidationError(
      'content.document.externalId',
      'cannot change: it is what the document is known by. Index the text under the other id, and forget this one',
    )
  const revised = following(memory, next, now)
  return revised && { ...revised, type: 'MemoryRevised', given: givenFields(command.input, content?.fields) }
}

function transition(name: TransitionName, memory: Memory, now: string): NewEvent | null {
  const content = transitioned(name, memory.state, now)
  requireRemembered(memory)
  const changed = following(memory, { ...memory.state, content }, now)
  return changed && { ...changed, type: 'MemoryRevised' }
}

function forget(memory: Memory, now: string): NewEvent | null {
  if (memory.state.forgottenAt !== null) return null
  const forgotten = following(memory, { ...memory.state, forgottenAt: now }, now)
  return forgotten && { ...forgotten, type: 'MemoryForgotten' }
}

function expire(memory: Memory, now: string): NewEvent | null {
  if (!hasExpired(memory.state, now)) return null
  const forgotten = forget(memory, now)
  return forgotten && { ...forgotten, type: 'MemoryExpired' }
}

function restore(
  command: Extract<Command, { type: 'restore' }>,
  memory: Memory,
  situation: DecisionContext,
): NewEvent | null {
  const { state } = memory
  if (command.version === undefined) {
    if (state.forgottenAt === null)
      throw new ValidationError(
        'version',
        `is required: the memory is not forgotten, so say which version (1 to ${memory.version}) comes back`,
      )
    const expiresAt = restoredExpiry(state, command.expiresAt, situation.now)
    const back = following(memory, { ...state, forgottenAt: null, expiresAt }, situation.now)
    return back && { ...back, type: 'MemoryRestored' }
  }
  if (situation.earlier === null)
    throw new NotFoundError(`Version ${command.version} of ${formatMemoryId(state.kind, state.id)}`)
  const next = {
    ...situation.earlier,
    expiresAt: restoredExpiry(situation.earlier, command.expiresAt, situation.now),
    forgottenAt: null,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
  }
  const restored = following(memory, next, situation.now)
  return (
    restored && {
      ...restored,
      type: 'MemoryRestored',
      data: { ...restored.data, restoredVersion: command.version },
    }
  )
}

/**
 * Brings back the state of a version, also that it was forgotten. What has expired since stays out of the
 * indexes: the undo takes back what was done, not that time has passed.
 */
function undo(
  { toVersion, id }: Extract<Command, { type: 'undo' }>,
  memory: Memory,
  { earlier, now }: DecisionContext,
): NewEvent | null {
  const { state } = memory
  if (toVersion > 0 && earlier === null)
    throw new NotFoundError(`Version ${toVersion} of ${formatMemoryId(state.kind, id)}`)
  const back = earlier ?? { ...state, forgottenAt: state.forgottenAt ?? now }
  const expiredAt = hasExpired(back, now) ? (state.forgottenAt ?? now) : null
  const forgottenAt = back.forgottenAt ?? expiredAt
  const next = { ...back, forgottenAt, createdAt: state.createdAt, updatedAt: state.updatedAt }
  const undone = following(memory, next, now) ?? reattributed(memory, next, now)
  if (undone === null) return null
  const data = { ...undone.data, undoneTo: toVersion }
  return forgottenAt === null
    ? { ...undone, type: 'MemoryRestored', data: { ...data, restoredVersion: toVersion } }
    : { ...undone, type: 'MemoryForgotten', data }
}

type Following = Omit<NewEvent, 'type' | 'data'> & { readonly data: StateAfter }

/**
 * The next version if only the authors differ: somebody wrote something else and then the same again, and is still
 * taken for the author of what was there before.
 */
function reattributed(memory: Memory, next: MemoryState, now: string): Following | null {
  if (haveSameAuthors(memory.state, next)) return null
  const state = { ...next, updatedAt: now }
  return { memoryId: state.id, version: memory.version + 1, data: { state, changed: ['writtenBy'] } }
}

/** The memory's next version with this state, for any command; null if nothing changes. */
function following(memory: Memory, next: MemoryState, now: string): Following | null {
  const changed = changedFields(memory.state, next)
  if (changed.length === 0) return null
  const state = { ...next, updatedAt: now }
  return { memoryId: state.id, version: memory.version + 1, data: { state, changed } }
}
