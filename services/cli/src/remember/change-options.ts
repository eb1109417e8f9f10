import type { Command } from 'commander'
import { KEY_HELP } from '../client/mutate.ts'

/** What a change of one memory does, once its id and the key of the request are read. */
type Change = (id: string, key: string | undefined, command: Command) => Promise<void>

/** Adds the id of the memory that a command changes, the key under which it may be sent again, and the action. */
export function addChange(command: Command, change: Change, seenIn: 'search' | 'the list'): void {
  command
    .argument('<id>', `its id, as ${seenIn} shows it, or the plain UUID`)
    .option('--idempotency-key <key>', KEY_HELP)
    .action((id: string, { idempotencyKey }: { idempotencyKey?: string }, self: Command) =>
      change(id, idempotencyKey, self),
    )
}
