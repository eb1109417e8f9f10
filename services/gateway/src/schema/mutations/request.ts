import type { Appended } from '@daybook/journal/append/append-request'
import { check } from '@daybook/memory/check'
import type { Command } from '@daybook/memory/commands'
import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import { parseMemoryId } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import type { Context } from '../../context.ts'

/** The key of a request that may be repeated, checked. @throws ValidationError */
export function checkIdempotencyKey(key: string | null | undefined): string | null {
  return key == null ? null : check('idempotencyKey', shortString(LIMITS.idempotencyKeyCharacters), key)
}

/** @throws ValidationError */
function checkExpectedVersion(version: number | null | undefined): { expectedVersion?: number } {
  if (version == null) return {}
  if (version < 1) throw new ValidationError('expectedVersion', 'must be 1 or more')
  return { expectedVersion: version }
}

/**
 * The plain id of the memory that a mutation is about.
 * @throws NotFoundError for anything that is no id: no memory has it
 */
export function requireMemoryId(id: string): string {
  const ref = parseMemoryId(id)
  if (ref === null) throw new NotFoundError(`The memory "${id.slice(0, 64)}"`)
  return ref.uuid
}

/** What every change of a memory takes. */
interface ChangeArguments {
  readonly id: string
  readonly expectedVersion?: number | null | undefined
  readonly idempotencyKey?: string | null | undefined
}

type Change<Each> = Each extends { readonly expectedVersion?: number }
  ? Omit<Each, 'id' | 'expectedVersion'>
  : never

/** Appends a change of a memory that is there. @throws ValidationError, NotFoundError for arguments that name none */
export function appendChange(
  context: Context,
  { id, expectedVersion, idempotencyKey }: ChangeArguments,
  change: Change<Command>,
): Promise<Appended> {
  const command = { ...change, id: requireMemoryId(id), ...checkExpectedVersion(expectedVersion) }
  return append(context, command, checkIdempotencyKey(idempotencyKey))
}

/** Appends a command of the request's project. */
export function append(
  context: Context,
  command: Command,
  idempotencyKey: string | null = null,
): Promise<Appended> {
  return context.parts.writer.append(context.project, { command, metadata: context.metadata, idempotencyKey })
}
