import { CliError, UsageError } from '../cli-error.ts'
import { readGenerations, rollback } from '../client/generations.ts'
import { EXIT } from '../exit-codes.ts'
import { print, printJson } from '../output/print.ts'
import { spoken } from '../output/spoken.ts'
import type { Connection } from '../settings.ts'

/**
 * Makes the generation live that was live before the last rebuild. The live one becomes old, so nothing is
 * lost.
 */
export async function goBack(
  given: string | undefined,
  { connection, json }: { connection: Connection; json: boolean },
): Promise<void> {
  const old = (await readGenerations(connection)).filter(({ status }) => status === 'OLD')
  const there = [...new Set(old.map(({ projection }) => projection))]
  if (given === undefined && there.length > 1)
    throw new UsageError('Which projection is to go back?', [
      `It may be ${there.map(spoken).join(', ')} or all`,
    ])
  const projections = there.filter((name) => given === undefined || given === 'all' || spoken(name) === given)
  if (projections.length === 0)
    throw new CliError(
      EXIT.failed,
      'NOT_FOUND',
      `There is no old generation${given === undefined || given === 'all' ? '' : ` of ${given}`} to go back to.`,
      ['See what there is:  daybook reindex --list'],
    )
  const generations = []
  for (const projection of projections) {
    const live = await rollback(connection, projection)
    generations.push(live)
    if (!json) print(`Generation ${live.generation} of ${spoken(projection)} is live again.`)
  }
  if (json) printJson({ generations })
  else print('The same command undoes it.')
}
