import type { Appended } from '@daybook/journal/append/append-request'
import type { Command } from '@daybook/memory/commands'
import { LIMITS } from '@daybook/memory/limits'
import { storableString } from '@daybook/memory/text-rules'
import { TRANSITION_NAMES } from '@daybook/memory/transitions'
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

/** `expire` is the home's own. What else a command holds is checked where it is decided. */
const command = z.looseObject({
  type: z.enum(['remember', 'revise', 'forget', 'restore', 'undo', ...TRANSITION_NAMES]),
  id: z.uuid(),
})

/** The form of a `SentCommand`. */
const sentCommand = z.strictObject({
  key: text(LIMITS.idempotencyKeyCharacters),
  command,
  given: command.optional(),
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

/** A request with commands, checked. */
export interface SentCommands {
  readonly commands: readonly SentCommand[]
}

/** The form of a request with commands. */
export const sentCommands = z.strictObject({ commands: z.array(sentCommand).min(1).max(MOST_COMMANDS) })

/** What a home answers to a command. */
export type Decided = { readonly appended: Appended } | { readonly error: WireError }

/** The form of the answer to commands, in their order. The home is trusted with what a memory holds. */
export const decidedCommands = z.object({
  decided: z.array(
    z.union([
      z.object({
        appended: z.looseObject({
          memory: z.looseObject({
            version: z.int(),
            sequence: z.int(),
            hash: z.string(),
            state: z.looseObject({ id: z.uuid() }),
          }),
          event: z.looseObject({ sequence: z.int() }).nullable(),
          duplicate: z.boolean(),
        }),
      }),
      z.object({ error: wireError }),
    ]),
  ),
})
