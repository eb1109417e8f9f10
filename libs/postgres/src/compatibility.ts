import { DaybookError } from '@daybook/memory/errors'
import { EVENT_TYPES, SCHEMA_VERSION } from '@daybook/memory/events'
import { KIND_NAMES } from '@daybook/memory/kinds/index'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity, startLoop } from '@daybook/runtime/loop'
import { VERSION } from '@daybook/runtime/version'
import { sql } from 'kysely'
import {
  type Database,
  type DatabaseTransaction,
  evenIfRefused,
  type Queryable,
  refusalOf,
  refuseQueries,
} from './connect.ts'

/*
 * Which versions of Daybook may work on a database. The database says so itself, in the one row of
 * `compatibility`, because its processes need not be upgraded together. These numbers are separate from
 * `VERSION`: most versions change neither of them.
 */

/** Tables that are read otherwise than by the first version: add one for each such change. */
const TABLES_CHANGED = 2

/** What the first version knew of events: 11 kinds, 4 types, schema version 1. Never changes. */
const KNOWN_AT_FIRST = 16

/** What this code can read, from 1 on. It grows by itself with every new type, kind or schema version of events. */
export const READER_VERSION =
  1 + TABLES_CHANGED + KIND_NAMES.length + EVENT_TYPES.length + SCHEMA_VERSION - KNOWN_AT_FIRST

/**
 * How this code appends. Grows when readers would misread, or miss something in, what the previous writer
 * appends.
 */
export const WRITER_VERSION = 2

/** The oldest reader and writer versions that may work on a database. */
export interface MinimumVersions {
  readonly reader: number
  readonly writer: number
}

/** The minimum that the database demands; null before the migration that makes its table. */
export async function readMinimum(db: Queryable): Promise<MinimumVersions | null> {
  const { rows: tables } = await sql<{ there: boolean }>`
    select to_regclass('daybook.compatibility') is not null as there`.execute(db)
  return tables[0]?.there === true ? readMinimumRow(db) : null
}

async function readMinimumRow(db: Queryable): Promise<MinimumVersions> {
  const { minimum_reader: reader, minimum_writer: writer } = await db
    .selectFrom('compatibility')
    .selectAll()
    .executeTakeFirstOrThrow()
  return { reader, writer }
}

/**
 * Shuts out older processes, as part of a breaking migration. No number goes down. A running append ends
 * before this, and every later append sees the new minimum: the table lock makes the statement that locks a
 * journal's head wait before it takes its snapshot.
 */
export async function raiseMinimum(
  owner: DatabaseTransaction,
  { reader = 1, writer = 1 }: Partial<MinimumVersions>,
): Promise<void> {
  await sql`lock table daybook.journal_heads in exclusive mode`.execute(owner)
  await sql`
    update daybook.compatibility set minimum_reader = greatest(minimum_reader, ${reader}),
      minimum_writer = greatest(minimum_writer, ${writer})`.execute(owner)
}

/** Why this process may not read; null if it may. */
export function readerProblem(minimum: MinimumVersions | null): DaybookError | null {
  if (minimum === null || minimum.reader <= READER_VERSION) return null
  return tooOld(
    'reads',
    READER_VERSION,
    minimum.reader,
    'a newer one stores data in a way that this one would misread',
  )
}

/** Why this process may not append; null if it may. */
export function writerProblem(minimumWriter: number): DaybookError | null {
  if (minimumWriter <= WRITER_VERSION) return null
  return tooOld('appends', WRITER_VERSION, minimumWriter, 'newer ones would misread what this one appends')
}

function tooOld(does: string, is: number, needed: number, why: string): DaybookError {
  return new DaybookError(
    'CONFIGURATION',
    `This Daybook ${VERSION} ${does} as version ${is}, and the database needs version ${needed} or later: ${why}. Nothing is lost; upgrade this process to the version of the newest one that works on the database, and start it again`,
  )
}

/** @throws DaybookError CONFIGURATION if this code is too old to read the database */
export async function requireReader(db: Queryable): Promise<void> {
  const problem = readerProblem(await readMinimum(db))
  if (problem !== null) throw problem
}

/** Milliseconds between checks, and so the longest time that an outdated process continues to read; an idle one rests longer. */
const LOOK_MS = 2_000

/** A running check whether this process may read. */
export interface CompatibilityWatch {
  /** Checks now. @throws whatever the database throws */
  look(): Promise<void>
  stop(): Promise<void>
}

/**
 * Checks every 2 s, more rarely while it is idle, whether this process may still read the database. Once it may
 * not, all its queries fail with the error that says so. Running queries finish.
 */
export function watchCompatibility(db: Database, logger: Logger, activity?: Activity): CompatibilityWatch {
  const asked = evenIfRefused(db)
  const look = async (): Promise<void> => {
    const problem = readerProblem(await readMinimumRow(asked))
    if (problem?.message === refusalOf(db)?.message) return
    refuseQueries(db, problem)
    if (problem === null) logger.info('the database may be read again')
    else logger.error({ error: problem }, 'the database needs a newer Daybook: this one stops working on it')
  }
  // Every other user of the database reports it when the database cannot be reached.
  const looking = startLoop(look, { everyMs: LOOK_MS, later: true, activity, onError: () => {} })
  return { look, stop: looking.stop }
}
