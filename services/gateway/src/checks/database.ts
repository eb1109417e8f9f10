import { statfs } from 'node:fs/promises'
import type { Operation } from '@daybook/operations/operation'
import { listOperations, listUntaken } from '@daybook/operations/read'
import {
  type MinimumVersions,
  READER_VERSION,
  readerProblem,
  readMinimum,
  WRITER_VERSION,
  writerProblem,
} from '@daybook/postgres/compatibility'
import { evenIfRefused, refusalOf } from '@daybook/postgres/connect'
import { isDiskFull } from '@daybook/postgres/errors'
import {
  type ApplicationRights,
  type AppliedMigrations,
  type ClockFacts,
  compareMigrations,
  type Durability,
  probeDisk,
  readApplicationRights,
  readClock,
  readDurability,
  readServerFacts,
  type ServerFacts,
} from '@daybook/postgres/inspect/server-facts'
import { reasonOf } from '@daybook/runtime/reason-of'
import { type CheckedParts, type Finding, failed, ok, warning, worst } from './check.ts'

/**
 * A round trip slower than this is worth a warning, in milliseconds: a search makes a handful of queries in
 * sequence.
 */
const SLOW_MS = 50

/** Checks that the database answers, how fast, and that it has room to write. */
export async function checkDatabase({ db, config }: Pick<CheckedParts, 'db' | 'config'>): Promise<Finding> {
  const embedded = config.databaseUrl === undefined
  const refusal = refusalOf(db)
  if (refusal !== null) return failed(refusal.message, UPGRADE)
  try {
    const facts = await readServerFacts(db)
    if (facts.onlyReads)
      return failed(
        'The database only reads: its disk is full, or it is a standby',
        'Make room on the disk of the database; it goes on by itself then. Or connect to the primary',
      )
    await probeDisk(db)
    return judgeServer(facts, embedded)
  } catch (error) {
    if (isDiskFull(error))
      return failed(
        `The database's disk is full: ${reasonOf(error)}`,
        'Make room on the disk of the database; it goes on by itself then',
      )
    return failed(
      `The database does not answer: ${reasonOf(error)}`,
      embedded
        ? 'Look at the daemon’s log: it starts its database again by itself'
        : 'Check that the server of DATABASE_URL runs and can be reached from here',
    )
  }
}

/** Judges how fast a reachable database answers. */
export function judgeServer(
  { version, roundTripMs }: Pick<ServerFacts, 'version' | 'roundTripMs'>,
  embedded: boolean,
): Finding {
  const name = `${embedded ? 'The embedded Postgres' : 'Postgres'} ${version}`
  const message = `${name} answers in ${roundTripMs.toFixed(1)} ms`
  return roundTripMs <= SLOW_MS
    ? ok(message)
    : warning(message, 'Run gateways and projectors near the database; look for what else keeps it busy')
}

/** Checks that the database’s own rules bind the role that queries run as. */
export async function checkApplicationRole({ db }: CheckedParts): Promise<Finding> {
  return judgeRights(await readApplicationRights(db))
}

/** Judges the rights of the role that queries run as. */
export function judgeRights({
  role,
  isSuperuser,
  ownsJournal,
  mayChangeJournal,
  login,
  loginOwnsJournal,
}: ApplicationRights): Finding {
  const problems = [
    ...(isSuperuser ? ['is a superuser, or bypasses row level security'] : []),
    ...(ownsJournal ? ['owns the journal'] : []),
    ...(mayChangeJournal ? ['may change events'] : []),
  ]
  if (problems.length > 0)
    return failed(
      `Queries run as ${role}, which ${problems.join(', ')}`,
      'Let a superuser take that from it: alter role daybook_app nosuperuser nobypassrls; revoke update, delete, truncate on daybook.events from daybook_app',
    )
  const found = `Queries run as ${role}, which may not change the journal`
  return loginOwnsJournal
    ? warning(
        `${found}, but the user ${login} that they log in as may: it owns the tables`,
        'Give services a user of their own in DATABASE_URL, and the owner in DAYBOOK_OWNER_URL',
      )
    : ok(`${found}, logged in as ${login}, which may not either`)
}

/** The largest difference accepted, in milliseconds. Clocks that follow a time server differ by far less. */
const APART_MS = 5_000

/** Checks that the database's clock, which dates events, is right, and was right for the last events. */
export async function checkClock({ db }: CheckedParts): Promise<Finding> {
  return judgeClock(await readClock(db))
}

/** Judges the clock by what was read from the database. */
export function judgeClock({ aheadMs, futureProjects, latest }: ClockFacts): Finding {
  const findings: Finding[] = []
  if (Math.abs(aheadMs) > APART_MS)
    findings.push(
      warning(
        `The database's clock is ${(Math.abs(aheadMs) / 1_000).toFixed(0)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this gateway's`,
        'Let both machines follow a time server: events are recorded by the database’s clock, and ages are counted by the gateway’s',
      ),
    )
  if (latest !== null)
    findings.push(
      warning(
        `The last event of ${futureProjects === 1 ? 'a project' : `${futureProjects} projects`} was recorded at a time that the database's clock has not reached, of "${latest.name}" at ${latest.recordedAt}: the clock was ahead then, or is behind now`,
        'Look whether the database’s clock is right. If it is, there is nothing more to do: the project’s next event is recorded by it, and events stay in the order of their sequence',
      ),
    )
  return worst(
    findings,
    ok('The database’s clock agrees with this gateway’s, and with what the journals say'),
  )
}

/** Checks that the database has exactly the migrations of this version. */
export async function checkMigrations({ db }: CheckedParts): Promise<Finding> {
  return judgeMigrations(await compareMigrations(db))
}

/** Judges the missing and unknown migrations. */
export function judgeMigrations({ missing, unknown }: AppliedMigrations): Finding {
  if (missing.length > 0)
    return failed(
      `The database lacks migrations of this version: ${missing.join(', ')}`,
      'Restart one process of this version, as a user of DATABASE_URL who owns the database: it migrates',
    )
  if (unknown.length > 0)
    return warning(
      `A newer version of Daybook has migrated the database: ${unknown.join(', ')}`,
      'Upgrade the processes that are older (docs/running.md, Upgrading)',
    )
  return ok('The tables are those of this version')
}

/** The advice for a process that is older than its database. */
const UPGRADE = 'Upgrade this process and start it again (docs/running.md, Upgrading)'

/** Checks that the database lets this version read from it and append to it. */
export async function checkCompatibility({ db }: CheckedParts): Promise<Finding> {
  return judgeCompatibility(await readMinimum(evenIfRefused(db)))
}

/** Judges the versions that the database demands. @param minimum null if it demands none */
export function judgeCompatibility(minimum: MinimumVersions | null): Finding {
  const problem = readerProblem(minimum) ?? writerProblem(minimum?.writer ?? 1)
  if (problem !== null) return failed(problem.message, UPGRADE)
  return ok(
    `It reads as version ${READER_VERSION} and appends as version ${WRITER_VERSION}, which the database takes`,
  )
}

/** The first version in which a vacuum does not damage HNSW indexes. */
const SOUND = [0, 8, 4] as const

/** Checks that the version of pgvector is free of known damage. */
export async function checkPgvector({ db }: CheckedParts): Promise<Finding> {
  return judgePgvector((await readServerFacts(db)).vectorVersion)
}

/** Judges a version of pgvector, such as `0.8.4`. */
export function judgePgvector(version: string): Finding {
  const parts = version.split('.').map(Number)
  const difference = SOUND.map((least, index) => (parts[index] ?? 0) - least).find((one) => one !== 0) ?? 0
  return difference >= 0
    ? ok(`pgvector ${version}`)
    : warning(
        `pgvector ${version}: before ${SOUND.join('.')} a vacuum can damage the vectors’ index`,
        'Update the package on the database server, then run: alter extension vector update',
      )
}

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

const LOW_BYTES = 1024 ** 3

const OUT_BYTES = 100 * 1024 ** 2

/** Checks that the embedded database has room; null if a server keeps the data. */
export async function checkDisk({ config }: CheckedParts): Promise<Finding | null> {
  if (config.databaseUrl !== undefined) return null
  const { bavail, bsize } = await statfs(config.dataDir)
  return judgeDisk(bavail * bsize, config.dataDir)
}

/** Judges the free bytes on the disk of the data folder. */
export function judgeDisk(freeBytes: number, dataDir: string): Finding {
  const message = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB are free for ${dataDir}`
  const advice = 'Make room, or move the data folder while the daemon is stopped (DAYBOOK_DATA_DIR)'
  if (freeBytes < OUT_BYTES) return failed(message, advice)
  return freeBytes < LOW_BYTES ? warning(message, advice) : ok(message)
}

/**
 * A queued operation should be taken within this time, in milliseconds: a dead process's lease, and some
 * more.
 */
const LATE_MS = 5_000

/** Checks that somebody works on the operations under way. */
export async function checkOperations({ db }: CheckedParts): Promise<Finding> {
  return judgeOperations(
    await listUntaken(db, LATE_MS),
    await listOperations(db, { first: 20, active: true }),
  )
}

const named = ({ id, type, projection }: Operation) =>
  `${type}${projection === null ? '' : ` of ${projection}`} (${id})`

/** Judges operations. @param untaken those that wait too long for a process */
export function judgeOperations(untaken: readonly Operation[], active: readonly Operation[]): Finding {
  if (untaken.length > 0)
    return failed(
      `Nobody works on ${untaken.map(named).join(', ')}`,
      'Start the reindex service:  npm run start:reindex  (the daemon has one inside)',
    )
  const waiting = active.filter(({ status, error }) => status === 'running' && error !== null)
  if (waiting.length > 0)
    return warning(
      waiting.map((one) => `${named(one)}: ${one.error}`).join('; '),
      'It goes on by itself once that is there',
    )
  return active.length === 0
    ? ok('None is under way')
    : ok(`Under way: ${active.map((one) => `${named(one)}, ${one.phase}`).join('; ')}`)
}
