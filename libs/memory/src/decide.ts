import { changedFields } from './changed-fields.ts'
import { check } from './check.ts'
import type { Command, CommonInput } from './commands.ts'
import { COMMON_FIELD_NAMES, COMMON_FIELDS, type CommonFieldName } from './common-fields.ts'
import { checkContent, reviseContent } from './content.ts'
import { ConflictError, NotFoundError, ValidationError } from './errors.ts'
import type { NewEvent, StateAfter } from './events.ts'
import { formatMemoryId } from './id.ts'
import { DEFAULT_IMPORTANCE } from './limits.ts'
import type { CommonFields, Memory, MemoryState } from './state.ts'
import { isBlank } from './text-rules.ts'

/** What a decision depends on besides the command. */
export interface DecisionContext {
  /** The memory now; null if the project has no memory with that id. */
  readonly memory: Memory | null
  /** For a restore to a version: the state at that version; null if there is no such version. */
  readonly earlier: MemoryState | null
  /** The moment of the decision, RFC 3339. It comes from the database's clock, which all gateways share. */
  readonly now: string
}

const DEFAULTS: CommonFields = {
  agent: null,
  labels: [],
  categories: [],
  importance: DEFAULT_IMPORTANCE,
  context: null,
  metadata: {},
  occurredAt: null,
  expiresAt: null,
}

/**
 * Turns a command into an event. Pure: the same command in the same situation gives the same event.
 * @returns null if the command changes nothing (a revision to the current values, forgetting a forgotten
 * memory)
 * @throws ValidationError, ConflictError, NotFoundError
 */
export function decide(command: Command, situation: DecisionContext): NewEvent | null {
  if (command.type === 'remember') return remember(command, situation)
  const memory = situation.memory
  if (memory === null) throw new NotFoundError(`The memory ${command.id}`)
  expectVersion(memory, command.expectedVersion)
  switch (command.type) {
    case 'revise':
      return revise(command, memory, situation.now)
    case 'forget':
      return forget(memory, situation.now)
    case 'restore':
      return restore(command, memory, situation)
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
  const fields: Record<string, unknown> = {}
  for (const name of COMMON_FIELD_NAMES) {
    const value = input[name]
    if (value === undefined) fields[name] = current[name]
    else if (isEmpty(name, value)) fields[name] = DEFAULTS[name]
    else fields[name] = check(name, COMMON_FIELDS[name], value)
  }
  return fields as unknown as CommonFields
}

function remember(
  command: Extract<Command, { type: 'remember' }>,
  { memory, now }: DecisionContext,
): NewEvent {
  if (memory !== null) throw new Error(`a new memory was given the id ${command.id}, which is taken`)
  const { kind, content } = checkContent(command.input.content)
  const state: MemoryState = {
    id: command.id,
    kind,
    content,
    ...commonFields(DEFAULTS, command.input),
    createdAt: now,
    updatedAt: now,
    forgottenAt: null,
  }
  return {
    memoryId: command.id,
    version: 1,
    type: 'MemoryRemembered',
    data: { state, changed: changedFields(null, state) },
  }
}

function revise(command: Extract<Command, { type: 'revise' }>, memory: Memory, now: string): NewEvent | null {
  const { state } = memory
  if (state.forgottenAt !== null)
    throw new ConflictError(
      'FORGOTTEN',
      `The memory is forgotten: restore it before revising it`,
      memory.version,
    )
  const { content } = command.input
  const next = {
    ...state,
    content: content == null ? state.content : reviseContent(state.kind, state.content, content),
    ...commonFields(state, command.input),
  }
  const revised = following(memory, next, now)
  return revised && { ...revised, type: 'MemoryRevised' }
}

function forget(memory: Memory, now: string): NewEvent | null {
  if (memory.state.forgottenAt !== null) return null
  const forgotten = following(memory, { ...memory.state, forgottenAt: now }, now)
  return forgotten && { ...forgotten, type: 'MemoryForgotten' }
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
    const back = following(memory, { ...state, forgottenAt: null }, situation.now)
    return back && { ...back, type: 'MemoryRestored' }
  }
  if (situation.earlier === null)
    throw new NotFoundError(`Version ${command.version} of ${formatMemoryId(state.kind, state.id)}`)
  const next = {
    ...situation.earlier,
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

/** The memory's next version with this state, for any command; null if nothing changes. */
function following(
  memory: Memory,
  next: MemoryState,
  now: string,
): (Omit<NewEvent, 'type' | 'data'> & { readonly data: StateAfter }) | null {
  const changed = changedFields(memory.state, next)
  if (changed.length === 0) return null
  const state = { ...next, updatedAt: now }
  return { memoryId: state.id, version: memory.version + 1, data: { state, changed } }
}
