import { refusalOf } from '@daybook/postgres/connect'
import { isDiskFull } from '@daybook/postgres/errors'
import { probeDisk } from '@daybook/postgres/inspect/probe-disk'
import { readServerFacts, type ServerFacts } from '@daybook/postgres/inspect/server-facts'
import { reasonOf } from '@daybook/runtime/reason-of'
import { type CheckedParts, type Finding, failed, ok, warning } from './check.ts'
import { UPGRADE } from './compatibility.ts'

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
