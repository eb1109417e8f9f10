import { sql } from 'kysely'
import { type DatabaseTransaction, openDatabase } from '../connect.ts'
import type { TestDatabase } from './test-database.ts'

/**
 * Works as the owner of the tables, who may do what the application may not: damage a journal, or act as
 * another version.
 */
export async function asOwner<T>(
  { address, db }: Pick<TestDatabase, 'address' | 'db'>,
  work: (trx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  if (!address.ownSessions)
    // The only connection becomes the owner for a moment.
    return db.transaction().execute(async (trx) => {
      await sql`set local role none`.execute(trx)
      return work(trx)
    })
  const owner = openDatabase({ ...address, maxConnections: 1 }, { role: null })
  try {
    return await owner.transaction().execute(work)
  } finally {
    await owner.destroy()
  }
}
