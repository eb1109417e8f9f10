import type { Database } from '@daybook/postgres/connect'
import { type DamagedTable, findDamagedTables, repairTable } from '@daybook/postgres/damage'
import { type DamageError, damageOf } from '@daybook/postgres/errors'
import { listGenerations, markUnusable } from '@daybook/projection/generations/generations'
import type { Logger } from '@daybook/runtime/logger'

/** What is done about damaged files of the database. */
export interface DamageRepair {
  /** Takes an error that names a damaged file. Once its table is known, later errors of the file have it as `table`. */
  found(error: DamageError): void
  /** Finishes the repair that is under way. */
  stop(): Promise<void>
}

const READ = 'docs/failures.md#when-a-file-of-the-database-is-damaged'

/** Milliseconds until a file that could not be repaired is looked at again. */
const AGAIN_MS = 60_000

/**
 * Repairs what follows from the journal when a query comes across its damage: a generation of the read model is marked, so that it
 * is made again; an index is built again; a table that only saves work is emptied. Of everything else the log says that
 * nothing but a backup has it.
 */
export function createDamageRepair(db: () => Database, logger: Logger): DamageRepair {
  const seen = new Map<string, { readonly at: number; readonly table?: string | undefined }>()
  let repairing = Promise.resolve()

  const repair = async (problem: string, damaged: DamagedTable): Promise<void> => {
    const { table, index } = damaged
    const fields = { table, index, problem }
    const [, projection, generation] = /^([a-z]+)_(\d+)\./u.exec(table) ?? []
    if (projection !== undefined) {
      const place = { projection, generation: Number(generation) }
      if (await markUnusable(db(), place, `${index ?? table} is damaged: ${problem}`))
        logger.error(fields, 'a table of the read model is damaged; it is made again from the journal')
      return
    }
    const done = await repairTable(db(), damaged)
    // Without its positions a projection would apply the whole journal to what it has already.
    if (done !== null && index === null && table === 'daybook.positions')
      for (const one of await listGenerations(db()))
        await markUnusable(db(), one, 'its positions were damaged')
    if (done === null)
      logger.error(
        fields,
        `the table ${table} is damaged, and nothing but a backup has what was in it (${READ})`,
      )
    else logger.error(fields, `${index ?? table} was damaged; ${done}`)
  }
  const look = async (error: DamageError): Promise<void> => {
    const { message } = error
    try {
      const tables = await findDamagedTables(db(), error)
      if (tables.length === 0) throw new Error('the catalogue does not name its table')
      for (const damaged of tables) {
        seen.set(message, { at: Date.now(), table: damaged.table })
        error.table = damaged.table
        await repair(message, damaged)
      }
    } catch (again) {
      // An index whose table is damaged, too.
      const other = damageOf(again)
      if (other !== null && other.message !== message) found(other)
      else
        logger.error(
          { problem: message, error: again },
          `a file of the database is damaged, and could not be repaired (${READ})`,
        )
    }
  }
  const found = (error: DamageError): void => {
    const known = seen.get(error.message)
    error.table = known?.table
    if (known !== undefined && Date.now() - known.at < AGAIN_MS) return
    seen.set(error.message, { at: Date.now(), table: known?.table })
    const before = repairing
    repairing = (async () => {
      await before
      await look(error)
    })()
  }
  return {
    found,
    async stop() {
      for (let last; last !== repairing; await last) last = repairing
    },
  }
}
