import { type Durability, readDurability } from '@daybook/postgres/inspect/durability'
import { type CheckedParts, type Finding, failed, ok, warning, worst } from './check.ts'

/** Checks that acknowledged writes survive a power failure and a failover. */
export async function checkDurability({ db, config }: CheckedParts): Promise<Finding> {
  return judgeDurability(await readDurability(db), config.databaseUrl === undefined)
}

/** Judges the durability settings of the database. */
export function judgeDurability(
  { fsync, synchronousCommit, standbys, asynchronous }: Durability,
  embedded: boolean,
): Finding {
  if (embedded)
    return fsync
      ? ok(
          'The embedded Postgres syncs at each commit: neither a crash nor a power cut loses what is acknowledged',
        )
      : warning(
          'DAYBOOK_FSYNC is off: a crash of Daybook loses nothing, but a power cut can lose the last moments, or the whole database',
          'Remove DAYBOOK_FSYNC=off and restart the daemon',
        )
  const findings: Finding[] = []
  if (!fsync)
    findings.push(
      failed(
        'fsync is off: a power failure may destroy the whole database',
        'Set fsync = on in postgresql.conf and reload it',
      ),
    )
  if (synchronousCommit === 'off')
    findings.push(
      failed(
        'synchronous_commit is off: a crash of the server loses writes that were acknowledged',
        'Set synchronous_commit = on, for the server, the database and the role daybook_app',
      ),
    )
  const waitsForStandby = synchronousCommit !== 'local' && asynchronous === 0
  if (standbys > 0 && !waitsForStandby)
    findings.push(
      warning(
        asynchronous === null
          ? `${standbys} standbys follow it, and whether it waits for them cannot be seen from here: a failover to one that it does not wait for loses the last moments`
          : `${standbys} standbys follow it, and it does not wait for ${asynchronous > 0 ? asynchronous : standbys} of them: a failover to one of those loses the last moments`,
        'Set synchronous_standby_names (and synchronous_commit = on), and fail over only to what is named there; where the last moments may be lost, Daybook says DIVERGED and heals itself. To let it see: grant pg_monitor to daybook_app',
      ),
    )
  return worst(findings, ok('What is acknowledged is on disk, and on every standby that follows it'))
}
