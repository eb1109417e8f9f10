import { PROJECTION_NAMES } from '@daybook/api/projection-names'
import { type ProjectionName, readGenerations } from '../client/operations.ts'
import { CliError, EXIT, UsageError } from '../command-line.ts'
import { spoken } from '../output/print.ts'
import type { Connection } from '../settings.ts'

/** The projections there are, in words. */
export const PROJECTIONS = PROJECTION_NAMES.map(spoken).join(' or ')

/** What may stand where a command takes a projection. */
export const PROJECTION_ARGUMENT = `${PROJECTION_NAMES.map(spoken).join(', ')} or all`

/** The projection of that name; null for `all`. @throws UsageError if there is no such projection */
export function checkProjection(given: string): ProjectionName | null {
  const found = PROJECTION_NAMES.find((one) => spoken(one) === given) ?? null
  if (found === null && given !== 'all')
    throw new UsageError(`There is no projection "${given}"`, [`It may be ${PROJECTION_ARGUMENT}`])
  return found
}

/**
 * The projections that an argument names: one, or all that exist.
 * @throws UsageError, CliError NOT_FOUND if nothing was ever written to that projection
 */
export async function projectionsMeant(
  connection: Connection,
  given = 'all',
): Promise<readonly ProjectionName[]> {
  const meant = checkProjection(given)
  const generations = await readGenerations(connection)
  const there = PROJECTION_NAMES.filter((name) => generations.some(({ projection }) => projection === name))
  if (meant === null) return there
  if (there.includes(meant)) return [meant]
  throw new CliError(EXIT.failed, 'NOT_FOUND', `Nothing was ever written to ${given}.`, [
    `Start its projector once:  npm run start:projector-${given}  (the daemon has it inside where it is configured)`,
  ])
}
