import { DaybookError } from '@daybook/memory/errors'
import { EVENT_TYPES, SCHEMA_VERSION } from '@daybook/memory/events'
import { KIND_NAMES } from '@daybook/memory/kinds/index'
import type { Activity } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import { repeat } from '@daybook/runtime/repeat'
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
 * Which versions of Daybook may work on a database. It says so itself, in the one row of `compatibility`, since the processes on it
 * need not be upgraded together. Numbers apart from `VERSION`, as most versions change nothing about either.
 */

/** Tables that are read otherwise than by the first version: add one for each such change. */
const TABLES_CHANGED = 0

/** What the first version knew of events: 11 kinds, 4 types, schema version 1. Never changes. */
const KNOWN_AT_FIRST = 16

/** What this code can read, from 1 on. It grows by itself with every new type, kind or schema version of events. */
export const READER_VERSION =
  1 + TABLES_CHANGED + KIND_NAMES.length + EVENT_TYPES.length + SCHEMA_VERSION - KNOWN_AT_FIRST

/** How this code appends. Grows where readers would misread what the writer before appends, or would miss something in it. */
export const WRITER_VERSION = 1

/** The oldest that may work on a database. */
export interface MinimumVersions {
  readonly reader: number
  readonly writer: number
}

/** What the database asks for; null before the migration that makes its table. */
export async function readMinimum(db: Queryable): Promise<MinimumVersions | null> {
  const { rows: tables } = await sql<{ there: boolean }>`
    select to_regclass('daybook.compatibility') is not null as there`.execute(db)
  if (tables[0]?.there !== true) return null
  const { minimum_reader: reader, minimum_writer: writer } = await db
    .selectFrom('compatibility')
    .selectAll()
    .executeTakeFirstOrThrow()
  return { reader, writer }
}

/**
 * Shuts older processes out; part of a breaking migration. No number goes down. An append that is under way ends before it, and
 * every later one heeds it: the lock keeps the statement that locks a journal's head from beginning with what it saw before.
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

/** Why this process may not read; null where it may. */
export function readerProblem(minimum: MinimumVersions | null): DaybookError | null {
  if (minimum === null || minimum.reader <= READER_VERSION) return null
  return tooOld(
    'reads',
    READER_VERSION,
    minimum.reader,
    'a newer one keeps it in a way that this one would misread',
  )
}

/** Why this process may not append; null where it may. */
export function writerProblem(minimumWriter: number): DaybookError | null {
  if (minimumWriter <= WRITER_VERSION) return null
  return tooOld('appends', WRITER_VERSION, minimumWriter, 'what this one appends newer ones would misread')
}

function tooOld(does: string, is: number, needed: number, why: string): DaybookError {
  return new DaybookError(
    'CONFIGURATION',
    `This Daybook ${VERSION} ${does} as version ${is}, and the database needs version ${needed} or later: ${why}. Nothing is lost; upgrade this process to the version of the newest one that works on the database, and start it again`,
  )
}

/** @throws DaybookError CONFIGURATION where this code is too old to read the database */
export async function requireReader(db: Queryable): Promise<void> {
  const problem = readerProblem(await readMinimum(db))
  if (problem !== null) throw problem
}

/** Milliseconds between looks: longest that a process reads on which has become too old. */
const LOOK_MS = 2_000

export interface CompatibilityWatch {
  /** Looks now. @throws whatever the database does */
  look(): Promise<void>
  stop(): Promise<void>
}

/**
 * Looks every 2 s whether this process may still read the database. Once it may not, all that it asks of it is refused with the
 * error that says so, whoever asks; what is under way is finished.
 */
export function watchCompatibility(db: Database, logger: Logger, activity?: Activity): CompatibilityWatch {
  const asked = evenIfRefused(db)
  const look = async (): Promise<void> => {
    const problem = readerProblem(await readMinimum(asked))
    if (problem?.message === refusalOf(db)?.message) return
    refuseQueries(db, problem)
    if (problem === null) logger.info('the database may be read again')
    else logger.error({ error: problem }, 'the database needs a newer Daybook: this one stops working on it')
  }
  // That the database cannot be reached is said by all that work with it.
  const looking = repeat(look, { everyMs: LOOK_MS, later: true, activity, onError: () => {} })
  return { look, stop: looking.stop }
}
