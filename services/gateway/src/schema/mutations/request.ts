import type { Appended } from '@daybook/journal/append/append-request'
import { check } from '@daybook/memory/check'
import type { Command } from '@daybook/memory/commands'
import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import { parseMemoryId } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import type { Context } from '../../context.ts'

/** Checks an idempotency key. @throws ValidationError */
export function checkIdempotencyKey(key: string | null | undefined): string | null {
  return key == null ? null : check('idempotencyKey', shortString(LIMITS.idempotencyKeyCharacters), key)
}

/** Checks an expected version. @throws ValidationError */
function checkExpectedVersion(version: number | null | undefined): { expectedVersion?: number } {
  if (version == null) return {}
  if (version < 1) throw new ValidationError('expectedVersion', 'must be 1 or more')
  return { expectedVersion: version }
}

/**
 * The plain id of the memory that a mutation names.
 * @throws NotFoundError if the text is no id, because no memory can have it
 */
export function requireMemoryId(id: string): string {
  const ref = parseMemoryId(id)
  if (ref === null) throw new NotFoundError(`The memory "${id.slice(0, 64)}"`)
  return ref.uuid
}

/** The arguments that every change of a memory has. */
interface ChangeArguments {
  readonly id: string
  readonly expectedVersion?: number | null | undefined
  readonly idempotencyKey?: string | null | undefined
}

/** Undos come from an operation, which plans them. */
type Change<Each> = Each extends { readonly type: 'undo' }
  ? never
  : Each extends { readonly expectedVersion?: number }
    ? Omit<Each, 'id' | 'expectedVersion'>
    : never

/** Appends a change of an existing memory. @throws ValidationError, NotFoundError if the id is none */
export function appendChange(
  context: Context,
  { id, expectedVersion, idempotencyKey }: ChangeArguments,
  change: Change<Command>,
): Promise<Appended> {
  const command = { ...change, id: requireMemoryId(id), ...checkExpectedVersion(expectedVersion) }
  return append(context, command, checkIdempotencyKey(idempotencyKey))
}

/** Appends a command to the journal of the request's project. */
export function append(
  context: Context,
  command: Command,
  idempotencyKey: string | null = null,
): Promise<Appended> {
  return context.parts.writer.append(context.project, { command, metadata: context.metadata, idempotencyKey })
}
