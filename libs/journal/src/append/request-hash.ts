import { createHash } from 'node:crypto'
import type { Command, CommonInput } from '@daybook/memory/commands'
import { DaybookError } from '@daybook/memory/errors'
import { sortedJson } from '@daybook/memory/sorted-json'

/*
 * Tells a repeated request from another one under the same idempotency key. A hash has a version, since a key is good for ever and
 * what is hashed may change: the retry of an old request is held against the old hash by the old rule.
 *
 * 1: 32 bytes. SHA-256 of the command as canonical JSON, without a new memory's id.
 * 2: 33 bytes, the first is 2. Of a new memory, only the fields that were given: null is none there. A caller whose next
 *    version says null for a field that the one before did not know, or leaves out, asks for the same.
 *
 * Only what the caller gave is hashed, never what it comes to: a field that is new and has a default is in no hash. So no input
 * of the API may have a default of its own in the schema.
 */
const VERSION = 2

const sha256 = (value: unknown): Buffer => createHash('sha256').update(sortedJson(value)).digest()

/** The hash of a request, as it is stored with its key. */
export function requestHash(command: Command): Buffer {
  return Buffer.concat([Buffer.of(VERSION), sha256(given(command))])
}

/**
 * Whether a stored hash is that of this request.
 * @throws DaybookError CONFIGURATION where a newer Daybook has made it by a rule that is not known here
 */
export function isHashOf(stored: Buffer, command: Command): boolean {
  if (stored.byteLength === 32) return stored.equals(sha256(repeatable(command)))
  if (stored[0] === VERSION) return stored.equals(requestHash(command))
  throw new DaybookError(
    'CONFIGURATION',
    `The idempotency key was used through a newer Daybook, whose hashes of version ${stored[0]} this one cannot compare: send the request to a newer process, or upgrade this one`,
  )
}

/** What makes two requests the same: all but a new memory's id, which is made anew for each try. */
function repeatable(command: Command): unknown {
  return command.type === 'remember' ? { type: command.type, input: command.input } : command
}

function given(command: Command): unknown {
  if (command.type !== 'remember') return command
  const { content, ...common } = command.input
  const { kind, fields } = content
  return {
    type: command.type,
    input: { ...withoutNulls<CommonInput>(common), content: { kind, fields: withoutNulls(fields) } },
  }
}

/** At the first level: within metadata and items a null is what it says. */
const withoutNulls = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Partial<T>
