import type { Command } from 'commander'
import { request } from '../client/request.ts'
import { ERROR_FIELDS, type Failure, succeeded } from '../client/result.ts'
import { addExamples, invocation, wholeNumber } from '../command.ts'
import { print, printJson } from '../output/print.ts'
import { safeLine } from '../output/safe-text.ts'

export function configure(command: Command): void {
  command
    .argument('<id>', 'its id, as search shows it, or the plain UUID')
    .option(
      '--version <n>',
      'whose content comes back; needed unless it is forgotten (see get --history)',
      wholeNumber(1),
    )
    .action((id: string, options: { version?: number }, self: Command) => restore(id, options.version, self))
  addExamples(command, [
    'daybook restore insight:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
    'daybook restore insight:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d --version 1',
  ])
}

interface Restored {
  readonly __typename: 'Restored'
  readonly memory: { readonly id: string; readonly title: string; readonly version: number }
  readonly sequence: number
  readonly duplicate: boolean
}

const RESTORE = `mutation Restore($id: ID!, $version: Int) {
  restore(id: $id, version: $version) {
    __typename
    ... on Restored { sequence duplicate memory { id title version } }
    ${ERROR_FIELDS}
  }
}`

async function restore(id: string, version: number | undefined, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const answer = await request<{ restore: Restored | Failure }>(connection, RESTORE, { id, version })
  const { memory, sequence, duplicate } = succeeded(answer.restore)
  if (json) return printJson({ memory, sequence, duplicate })
  print(`Restored: ${safeLine(memory.title)}`)
  print(`${safeLine(memory.id)}  (version ${memory.version}, sequence ${sequence})`)
}
