import { dropGeneration, type Generation, readGenerations } from '../client/generations.ts'
import { confirm } from '../confirm.ts'
import { print, printJson } from '../output/print.ts'
import { size } from '../output/size.ts'
import { spoken } from '../output/spoken.ts'
import type { Connection } from '../settings.ts'

interface Dropping {
  readonly connection: Connection
  readonly json: boolean
  readonly yes: boolean
}

/** Deletes the old generations of one projection, or of all, after asking. */
export async function dropOld(given: string | undefined, { connection, json, yes }: Dropping): Promise<void> {
  const old = (await readGenerations(connection)).filter(
    ({ projection, status }) =>
      status === 'OLD' && (given === undefined || given === 'all' || spoken(projection) === given),
  )
  if (old.length > 0)
    await confirm(`Delete ${old.map(describe).join(' and ')}? There is no rollback then.`, yes)
  for (const one of old) await dropGeneration(connection, one)
  if (json) return printJson({ dropped: old })
  if (old.length === 0) print('There is no old generation.')
  for (const one of old) print(`Generation ${one.generation} of ${spoken(one.projection)} is being deleted.`)
}

function describe({ projection, generation, bytes }: Generation): string {
  return `generation ${generation} of ${spoken(projection)}${bytes === null ? '' : ` (${size(bytes)})`}`
}
