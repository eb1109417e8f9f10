import { createHash } from 'node:crypto'
import type { Command, CommonInput } from '@daybook/memory/commands'
import { DaybookError } from '@daybook/memory/errors'
import { sortedJson } from '@daybook/memory/sorted-json'

/*
 * Tells a repeated request from a different one under the same idempotency key. A hash has a version, because
 * a key is valid for ever and the rule may change: the retry of an old request is compared by the rule of its
 * stored hash.
 *
 * 2: 33 bytes: the version, and the SHA-256 of the command as canonical JSON. Of a new memory, only the given
 * fields are hashed, not its id, which is new for each try, and null counts as not given. So a caller's next version may send
 * null for a field that the version before left out, and it is the same request.
 *
 * Only what the caller gave is hashed, never defaults: a new field with a default is in no hash. So no input
 * of the API may have a default in the schema.
 */
const VERSION = 2

const sha256 = (value: unknown): Buffer => createHash('sha256').update(sortedJson(value)).digest()

/** The hash of a request, as stored with its key. */
export function requestHash(command: Command): Buffer {
  return Buffer.concat([Buffer.of(VERSION), sha256(given(command))])
}

/**
 * Whether a stored hash belongs to this request.
 * @throws DaybookError CONFIGURATION if a newer Daybook computed it by a rule that is unknown here
 */
export function isHashOf(stored: Buffer, command: Command): boolean {
  if (stored[0] === VERSION) return stored.equals(requestHash(command))
  throw new DaybookError(
    'CONFIGURATION',
    `The idempotency key was used through a newer Daybook, and this one cannot compare hashes of version ${stored[0]}: send the request to a newer process, or upgrade this one`,
  )
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

/** Only at the first level: a null inside metadata or lists is a value. */
const withoutNulls = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Partial<T>
