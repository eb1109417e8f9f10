import { safeLine } from '@daybook/memory/safe-text'
import { CliError, UsageError } from '../cli-error.ts'
import { dropParked } from '../client/parked.ts'
import { confirm } from '../confirm.ts'
import { EXIT } from '../exit-codes.ts'
import { print, printJson } from '../output/print.ts'
import { spoken } from '../output/spoken.ts'
import type { Connection } from '../settings.ts'
import { findParked, type ParkedPlace } from './find-parked.ts'

interface Dropping {
  readonly connection: Connection
  readonly json: boolean
  readonly yes: boolean
  readonly place: ParkedPlace
}

/** Makes a projection skip one event for good, after asking. */
export async function dropOne(sequence: number, { connection, json, yes, place }: Dropping): Promise<void> {
  const found = (await findParked(connection, sequence, place)).filter(({ droppedAt }) => droppedAt === null)
  const [one] = found
  if (one === undefined)
    throw new CliError(EXIT.failed, 'DROPPED', `The event ${sequence} is dropped already.`)
  if (found.length > 1)
    throw new UsageError(
      `The event ${sequence} is parked in several places: which one?`,
      found.map(
        ({ projection, project }) => `--projection ${spoken(projection)} --project ${safeLine(project)}`,
      ),
    )
  const what = `the event ${sequence} of ${safeLine(one.project)}`
  await confirm(`Let ${spoken(one.projection)} pass over ${what} for good?`, yes)
  await dropParked(connection, one)
  if (json) return printJson({ dropped: one })
  print(`${spoken(one.projection)} passes over ${what}.`)
  print(`Apply what waits behind it:  daybook parked retry ${safeLine(one.memoryId)}`)
}
