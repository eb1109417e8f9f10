import { check } from '@daybook/memory/check'
import type { Command } from '@daybook/memory/commands'
import { decodeCommand } from '@daybook/memory/decode/decode-command'
import { uuid } from '@daybook/memory/decode/forms'
import { ValidationError } from '@daybook/memory/errors'
import { EVENT_TYPES } from '@daybook/memory/events'
import { LIMITS } from '@daybook/memory/limits'
import { storableString } from '@daybook/memory/text-rules'
import { z } from 'zod'
import { type WireError, wireError } from './wire-error.ts'

/** The most commands that a follower sends at a time; they are committed together. */
export const MOST_COMMANDS = 500

/** A command on its way from a follower to its home. */
export interface SentCommand {
  /** The caller's idempotency key, or one that the follower made, so that it may be sent again. */
  readonly key: string
  readonly command: Command
  /** As in `AppendRequest`. */
  readonly given?: Command | undefined
  /** In hex. */
  readonly requestHash?: string | undefined
  readonly givenAt?: string | undefined
  readonly correlationId: string | null
  readonly causationId: string | null
  /** Who wrote it, as far as the follower's caller said. The key is the follower's. */
  readonly agent?: string | undefined
  readonly client?: string | undefined
}

const text = (most: number) => storableString.min(1).max(most)

/** The form of a `SentCommand`, but for its commands. */
const sentCommand = z.strictObject({
  key: text(LIMITS.idempotencyKeyCharacters),
  command: z.unknown(),
  given: z.unknown().optional(),
  requestHash: z
    .string()
    .regex(/^(?:[0-9a-f]{2})?[0-9a-f]{64}$/u)
    .optional(),
  givenAt: z.iso.datetime().optional(),
  correlationId: text(LIMITS.nameCharacters).nullable(),
  causationId: text(LIMITS.nameCharacters).nullable(),
  agent: text(LIMITS.nameCharacters).optional(),
  client: text(LIMITS.nameCharacters).optional(),
})

/** The form of a request with commands. Each is decoded for itself, so that one which is none fails no other. */
export const sentCommands = z.strictObject({ commands: z.array(z.unknown()).min(1).max(MOST_COMMANDS) })

/** One of a request's commands. @throws ValidationError */
export function decodeSentCommand(value: unknown): SentCommand {
  const { command: sent, given, ...rest } = check('sent', sentCommand, value)
  const command = decodeCommand(sent)
  if (command.type === 'expire')
    throw new ValidationError('command.type', 'cannot be expire: the home itself says when a memory expires')
  return { ...rest, command, ...(given !== undefined && { given: decodeCommand(given, 'given') }) }
}

/**
 * What a home says of a command that it has accepted: where the outcome is, and not what the memory holds. Who sends commands
 * need not be allowed to read.
 */
const receipt = z.object({
  memoryId: uuid,
  version: z.int32().min(1),
  sequence: z.int32().min(1),
  /** Of the memory's newest event. */
  hash: z.string().regex(/^[0-9a-f]{64}$/u),
  /** As in `Appended`. */
  written: z.enum(EVENT_TYPES).nullable(),
  /** Whether the key was used for this request before. */
  duplicate: z.boolean(),
})

/** A home's receipt. */
export type Receipt = z.infer<typeof receipt>

/** What a home answers to a command. */
export type Decided = { readonly receipt: Receipt } | { readonly error: WireError }

/** The form of the answer to commands, in their order. */
export const decidedCommands = z.object({
  decided: z.array(z.union([z.object({ receipt }), z.object({ error: wireError })])),
})
