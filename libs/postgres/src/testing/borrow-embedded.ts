import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { DatabaseAddress } from '../connect.ts'

/** Set by `global-setup.ts`: the socket of the pool. */
export const TEST_EMBEDDED_POOL = 'DAYBOOK_TEST_EMBEDDED_POOL'

/** What the pool tells a borrower. */
export interface LentDatabase {
  readonly address: DatabaseAddress
  /** The process id of the server now; null between a crash and the restart. */
  readonly pid: number | null
}

/** A migrated embedded database that nobody else uses. */
export interface BorrowedDatabase {
  readonly address: DatabaseAddress
  /** The process id of its server now; null between a crash and the restart. */
  pid(): Promise<number | null>
  /** Returns it. Close every connection first. */
  giveBack(): Promise<void>
}

/** Borrows a database from the run's pool (`embedded-pool.ts`). */
export async function borrowEmbedded(): Promise<BorrowedDatabase> {
  const pool = process.env[TEST_EMBEDDED_POOL]
  if (pool === undefined) throw new Error(`${TEST_EMBEDDED_POOL} is not set`)
  const socket = connect(pool)
  const lines = createInterface(socket)[Symbol.asyncIterator]()
  const told = async (): Promise<LentDatabase> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the pool of embedded databases has closed the connection')
    return JSON.parse(value) as LentDatabase
  }
  const { address } = await told()
  return {
    address,
    async pid() {
      socket.write('pid\n')
      return (await told()).pid
    },
    async giveBack() {
      const closed = once(socket, 'close')
      socket.end()
      await closed
    },
  }
}
