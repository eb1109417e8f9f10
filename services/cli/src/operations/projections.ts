import { CliError, UsageError } from '../cli-error.ts'
import { readGenerations } from '../client/generations.ts'
import { EXIT } from '../exit-codes.ts'
import type { Connection } from '../settings.ts'

const PROJECTIONS = ['pgvector', 'typesense'] as const

/** What may stand where a command takes a projection. */
export const PROJECTION_ARGUMENT = `${PROJECTIONS.join(', ')} or all`

/** @throws UsageError where it is none, and is not `all` */
export function checkProjection(given: string): string {
  if (given !== 'all' && !PROJECTIONS.some((one) => one === given))
    throw new UsageError(`There is no projection "${given}"`, [`It may be ${PROJECTION_ARGUMENT}`])
  return given
}

/**
 * The projections that are meant: the one of that name, or all that there are.
 * @throws UsageError, CliError NOT_FOUND where there is nothing of that projection to work on
 */
export async function projectionsMeant(connection: Connection, given = 'all'): Promise<readonly string[]> {
  checkProjection(given)
  const generations = await readGenerations(connection)
  const there = PROJECTIONS.filter((name) => generations.some(({ projection }) => projection === name))
  if (given === 'all') return there
  if (there.some((name) => name === given)) return [given]
  throw new CliError(EXIT.failed, 'NOT_FOUND', `Nothing was ever written to ${given}.`, [
    `Start its projector once:  npm run start:projector-${given}  (the daemon has it inside where it is configured)`,
  ])
}
