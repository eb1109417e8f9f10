import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { request } from '../client/request.ts'
import { addExamples, addNotes, invocation } from '../command.ts'
import { RefusedError } from '../command-line.ts'
import { projectionsMeant } from '../operations/projections.ts'
import {
  addOperationOptions,
  OPERATION_HELP,
  type OperationOptions,
  runOperations,
} from '../operations/run-operations.ts'
import { note, print, printJson } from '../output/print.ts'

/** Adds the arguments, options and action of `daybook language`. */
export function configureLanguage(command: Command): void {
  command.argument('[language]', 'such as german, french or simple (default: show it)')
  addOperationOptions(command).action(
    (wanted: string | undefined, options: OperationOptions, self: Command) => language(wanted, options, self),
  )
  addExamples(command, [
    'daybook language',
    'daybook language german',
    'daybook language simple --project notes',
  ])
  addNotes(
    command,
    `
The language decides which endings of words are one word ("Häuser" finds "Haus") and which words say nothing. Accents,
Chinese, Japanese, Korean and emoji are found in every language. A change rebuilds the indexes beside those that answer
searches meanwhile.
${OPERATION_HELP}`,
  )
}

const SHOW = queries.language('project language available')

const SET = mutations.setLanguage('project language')

async function language(
  wanted: string | undefined,
  { project, detach = false }: OperationOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  if (wanted === undefined) {
    const { language: found } = await request(connection, SHOW, { project })
    if (json) return printJson(found)
    print(`${safeLine(found.project)} is in ${safeLine(found.language)}.`)
    return note(`Others: ${found.available.map(safeLine).join(', ')}`)
  }
  const { result } = await request(connection, SET, { language: wanted, project })
  if (result.__typename !== 'ProjectLanguage') throw new RefusedError(result.code, result.message)
  if (!json)
    print(`${safeLine(result.project)} is in ${safeLine(result.language)} from the next generation on.`)
  const projections = await projectionsMeant(connection, 'all')
  await runOperations(
    projections.map((name) => ({ mutation: 'reindex', arguments: { projection: name } })),
    { connection, json, detach },
  )
}
