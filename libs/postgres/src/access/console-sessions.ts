import { randomBytes } from 'node:crypto'
import { newId } from '@daybook/memory/id'
import { type SqlBool, sql } from 'kysely'
import type { Database } from '../connect.ts'
import { type Access, type FoundRow, hashOfKey, type KeyRefusal, readFound } from './api-keys.ts'

/*
 * How a browser keeps a key open without having it:
 *
 *   key ──createLoginToken──▶ token, once, for minutes ──openSession──▶ session, until it is idle, over or logged out
 *
 * Tokens of both are 256 random bits. The database has their SHA-256 only, and the application's role cannot read that.
 */

/** A token that opens a session once. */
export interface LoginToken {
  readonly token: string
  readonly expiresAt: string
}

/**
 * Makes a login token for the key that asks.
 * @param lastsMs how long it works, in milliseconds
 * @returns null if the key has just ended
 */
export async function createLoginToken(
  db: Database,
  { keyHash }: Pick<Access, 'keyHash'>,
  lastsMs: number,
): Promise<LoginToken | null> {
  const token = newToken()
  const { rows } = await sql<{ expiresAt: string | null }>`
    select create_login_token(${keyHash}, ${hashOfKey(token)}, ${milliseconds(lastsMs)}) as "expiresAt"`.execute(
    db,
  )
  const expiresAt = rows[0]?.expiresAt ?? null
  return expiresAt === null ? null : { token, expiresAt }
}

/**
 * Opens a session of the console. A login token is spent by that; a key is not.
 * @param shown a login token, or a key
 * @param lastsMs how long the session lasts at most, in milliseconds
 * @returns the session's token, for its browser only; null if what was shown opens nothing
 */
export async function openSession(db: Database, shown: string, lastsMs: number): Promise<string | null> {
  const token = newToken()
  const { rows } = await sql<{ opened: boolean }>`
    select open_console_session(${hashOfKey(shown)}, ${newId()}, ${hashOfKey(token)}, ${milliseconds(lastsMs)}) as opened`.execute(
    db,
  )
  return rows[0]?.opened === true ? token : null
}

/** A key as a session finds it. */
interface SessionRow extends FoundRow {
  readonly sessionId: string
  readonly sessionEnds: string
  readonly keyHash: Buffer
}

/** What a session may do: what its key may do. */
export interface FoundSession {
  readonly access: Access & { readonly sessionId: string }
  /** When it ends, however it is used. */
  readonly expiresAt: string
}

/**
 * What the session's key opens now, and notes that the session is used.
 * @param idleMs after how long without a request it ends, in milliseconds
 */
export async function findSession(
  db: Database,
  token: string,
  idleMs: number,
): Promise<FoundSession | { readonly refusal: KeyRefusal | 'session over' }> {
  const { rows } = await sql<SessionRow>`
    select session_id as "sessionId", session_ends as "sessionEnds", key_hash as "keyHash", id, name, scopes, admin,
      project_ids as projects, ended
    from find_console_session(${hashOfKey(token)}, ${milliseconds(idleMs)})`.execute(db)
  const [row] = rows
  if (row === undefined) return { refusal: 'session over' }
  const found = readFound(row, row.keyHash)
  return 'refusal' in found
    ? found
    : { access: { ...found.access, sessionId: row.sessionId }, expiresAt: row.sessionEnds }
}

/** Ends a session: its browser is logged out. @returns whether there was one */
export async function endSession(db: Database, token: string): Promise<boolean> {
  const { rows } = await sql<{ ended: boolean }>`
    select end_console_session(${hashOfKey(token)}) as ended`.execute(db)
  return rows[0]?.ended === true
}

/** Which of these sessions, by id, last still. */
export async function readOpenSessions(
  db: Database,
  ids: readonly string[],
  idleMs: number,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select id from console_sessions
    where id = any(${ids}::uuid[]) and expires_at > now() and used_at > now() - ${milliseconds(idleMs)}`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Whether a session was opened at most so long ago, by the database's clock. @param ageMs in milliseconds */
export async function wasJustOpened(db: Database, sessionId: string, ageMs: number): Promise<boolean> {
  const found = await db
    .selectFrom('console_sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where(sql<SqlBool>`created_at > now() - ${milliseconds(ageMs)}`)
    .executeTakeFirst()
  return found !== undefined
}

const newToken = (): string => randomBytes(32).toString('base64url')
const milliseconds = (ms: number) => sql`make_interval(secs => ${ms / 1_000}::float8)`
