import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pause } from '@daybook/runtime/backoff'
import { Client } from 'pg'
import { findBinaries, serverUser } from './native-binaries.ts'
import { makeServerFolder, runInFolder, startNativeServer } from './native-server.ts'
import type { NativeServer } from './running-server.ts'
import { startSwitchingProxy } from './switching-proxy.ts'

/**
 * A primary and an asynchronous standby behind one address. A failover loses what the standby has not
 * received.
 */
export interface FailoverPair extends NativeServer {
  /**
   * Waits until the standby has everything that is committed now, then stops sending to it. A failover loses
   * what is committed from then on.
   */
  cutReplication(): Promise<void>
  /**
   * Crashes the primary and promotes the standby, which the address leads to from then on. The new primary
   * gets a new standby.
   * @returns once the new primary answers
   */
  failOver(): Promise<void>
}

/** Only a standby that hangs takes so long. */
const SYNC_TIMEOUT_MS = 240_000

/** @throws NoNativeServerError if there is no server to start */
export async function startFailoverPair(): Promise<FailoverPair> {
  const proxy = await startSwitchingProxy()
  let primary: NativeServer = await startNativeServer()
  let standby = await startStandby(primary)
  proxy.route({ path: socketOf(primary) })

  const stopAll = async () => {
    await proxy.stop()
    await standby.stop()
    await primary.stop()
  }
  return {
    url: `postgresql://postgres@127.0.0.1:${proxy.port}/postgres`,
    async crash() {
      await primary.crash()
    },
    async start() {
      await primary.start()
    },
    freeze: () => primary.freeze(),
    stop: stopAll,
    async cutReplication() {
      await untilCaughtUp(primary, standby)
      await ask(standby, `alter system set primary_conninfo = ''`)
      await ask(standby, 'select pg_reload_conf()')
      while (((await ask(standby, 'select count(*)::int as n from pg_stat_wal_receiver'))[0]?.n ?? 0) !== 0)
        await pause(5)
    },
    async failOver() {
      await primary.crash()
      proxy.route(null)
      await ask(standby, 'select pg_promote(true, 240)')
      proxy.route({ path: socketOf(standby) })
      const lost = primary
      primary = standby
      await lost.stop()
      standby = await startStandby(primary)
    },
  }
}

/** The folder of a server that `startNativeServer` started. */
export const folderOf = ({ url }: NativeServer) =>
  decodeURIComponent(url.slice(url.indexOf('@') + 1, url.lastIndexOf('/')))

const socketOf = (server: NativeServer) => join(folderOf(server), '.s.PGSQL.5432')

/** A copy of the primary that follows it. Stopping it removes its folder. */
export async function startStandby(primary: NativeServer): Promise<NativeServer> {
  const folder = makeServerFolder()
  const host = folderOf(primary)
  await promisify(execFile)(
    join(findBinaries(), 'pg_basebackup'),
    // `--write-recovery-conf` makes it a standby of the copied server.
    [
      '--host',
      host,
      '--username',
      'postgres',
      '--pgdata',
      join(folder, 'data'),
      '--write-recovery-conf',
      '--no-sync',
      '--checkpoint',
      'fast',
    ],
    { ...serverUser(), cwd: folder },
  )
  return runInFolder(folder)
}

/** Waits until the standby has replayed all that the primary has written by now. */
export async function untilCaughtUp(primary: NativeServer, standby: NativeServer): Promise<void> {
  const [row] = await ask(primary, 'select pg_current_wal_lsn()::text as lsn')
  for (const deadline = Date.now() + SYNC_TIMEOUT_MS; ; await pause(5)) {
    const [got] = await ask(
      standby,
      `select coalesce(pg_last_wal_replay_lsn() >= '${row?.lsn}'::pg_lsn, false) as "caughtUp"`,
    )
    if (got?.caughtUp === true) return
    if (Date.now() > deadline) throw new Error('the standby did not catch up with its primary')
  }
}

async function ask({ url }: NativeServer, query: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(query)).rows
  } finally {
    await client.end()
  }
}
