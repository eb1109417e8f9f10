import * as mutations from '@daybook/api/mutations'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { ID_OR_NUMBER_HELP, memoryId } from '../client/memory-id.ts'
import { KEY_HELP, mutate } from '../client/mutate.ts'
import { addExamples, invocation, moment, wholeNumber } from '../command.ts'
import { noteUnshared } from '../output/memory.ts'
import { print, printJson } from '../output/print.ts'
import { addChange } from '../remember/remember-input.ts'

/** Adds the arguments, options and action of `daybook restore`. */
export function configureRestore(command: Command): void {
  command
    .argument('<id>', ID_OR_NUMBER_HELP)
    .option(
      '--version <n>',
      'whose content comes back; needed unless it is forgotten (see get --history)',
      wholeNumber(1),
    )
    .option('--expires-at <time>', 'when it expires from now on; unless given, as at that version', moment)
    .option('--idempotency-key <key>', KEY_HELP)
    .action((id: string, options: RestoreOptions, self: Command) => restore(id, options, self))
  addExamples(command, [
    'daybook restore insight:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
    'daybook restore insight:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d --version 1',
  ])
}

interface RestoreOptions {
  readonly version?: number
  readonly expiresAt?: string
  readonly idempotencyKey?: string
}

const RESTORE = mutations.restore('sequence duplicate memory { id title version shared }')

async function restore(
  given: string,
  { version, expiresAt, idempotencyKey: key }: RestoreOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const id = await memoryId(connection, given)
  const variables = (idempotencyKey: string) => ({ id, version, expiresAt, idempotencyKey })
  const { memory, sequence, duplicate } = await mutate(connection, RESTORE, variables, key)
  noteUnshared(memory)
  if (json) return printJson({ memory, sequence, duplicate })
  print(`Restored: ${safeLine(memory.title)}`)
  print(`${safeLine(memory.id)}  (version ${memory.version}, sequence ${sequence})`)
}

/** Adds the arguments, options and action of `daybook forget`. */
export function configureForget(command: Command): void {
  addChange(command, forget)
  addExamples(command, ['daybook forget insight:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d'])
}

const FORGET = mutations.forget('sequence duplicate memory { id title version shared }')

async function forget(id: string, key: string | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const variables = (idempotencyKey: string) => ({ id, idempotencyKey })
  const { memory, sequence, duplicate } = await mutate(connection, FORGET, variables, key)
  noteUnshared(memory)
  if (json) return printJson({ memory, sequence, duplicate })
  print(`Forgotten: ${safeLine(memory.title)}  (sequence ${sequence})`)
  print(`Undo:  daybook restore ${safeLine(memory.id)}`)
}
