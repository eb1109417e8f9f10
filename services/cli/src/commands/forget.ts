import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { mutate } from '../client/mutate.ts'
import { succeeded } from '../client/result.ts'
import { addExamples, invocation } from '../command.ts'
import { print, printJson } from '../output/print.ts'
import { noteUnshared } from '../output/unshared.ts'
import { addChange } from '../remember/change-options.ts'

/** Adds the arguments, options and action of `daybook forget`. */
export function configure(command: Command): void {
  addChange(command, forget, 'search')
  addExamples(command, ['daybook forget insight:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d'])
}

const FORGET = graphql(
  `mutation Forget($id: ID!, $idempotencyKey: String) {
    forget(id: $id, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Forgotten { sequence duplicate memory { id title version shared } }
      ...Failure
    }
  }`,
  [FAILURE],
)

async function forget(id: string, key: string | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const answer = await mutate(connection, FORGET, (idempotencyKey) => ({ id, idempotencyKey }), key)
  const { memory, sequence, duplicate } = succeeded(answer.forget)
  noteUnshared(memory)
  if (json) return printJson({ memory, sequence, duplicate })
  print(`Forgotten: ${safeLine(memory.title)}  (sequence ${sequence})`)
  print(`Undo:  daybook restore ${safeLine(memory.id)}`)
}
