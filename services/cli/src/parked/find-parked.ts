import { CliError } from '../cli-error.ts'
import { type ParkedEvent, readParked } from '../client/parked.ts'
import { EXIT } from '../exit-codes.ts'
import { projectionsMeant } from '../operations/projections.ts'
import type { Connection } from '../settings.ts'

/** Where to look. Default: everywhere. */
export interface ParkedPlace {
  readonly projection?: string
  /** Its name or id. */
  readonly project?: string
}

/** Lists parked events, up to 100 per projection, including dropped ones. */
export async function listParked(
  connection: Connection,
  { projection, project }: ParkedPlace,
): Promise<readonly ParkedEvent[]> {
  const names = await projectionsMeant(connection, projection)
  return (await Promise.all(names.map((name) => readParked(connection, name, { project })))).flat()
}

/**
 * Finds the events parked at a sequence: one for each projection and project that could not apply it.
 * @throws CliError NOT_FOUND
 */
export async function findParked(
  connection: Connection,
  sequence: number,
  { projection, project }: ParkedPlace,
): Promise<readonly ParkedEvent[]> {
  const names = await projectionsMeant(connection, projection)
  const found = await Promise.all(names.map((name) => readParked(connection, name, { project, sequence })))
  if (found.flat().length === 0)
    throw new CliError(EXIT.failed, 'NOT_FOUND', `No event ${sequence} is parked.`, [
      'See what is:  daybook parked list',
    ])
  return found.flat()
}
