import { DaybookError } from '@daybook/memory/errors'
import { Client } from 'pg'
import type { DatabaseAddress } from './connect.ts'

/** The oldest pgvector with iterative scans, without which a filtered vector search returns too little. */
const OLDEST_PGVECTOR = [0, 8, 0] as const

/** The lock that first starts take turns by; the number is arbitrary but must stay. */
const PREPARE_LOCK = 7_033_214

/**
 * Makes what migrations and sessions need to exist before them: the schema, the extension and the application's role.
 * Takes turns with other processes that start at the same moment.
 * @throws DaybookError CONFIGURATION
 */
export async function prepareDatabase(address: DatabaseAddress): Promise<void> {
  const client = new Client(address.connection)
  // Of a connection that breaks, the query tells; without a listener the process would end.
  client.on('error', () => {})
  await client.connect()
  try {
    // As in connect.ts: on the embedded database the role of the connection before would stay.
    await client.query('reset role')
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(${PREPARE_LOCK})`)
    await client.query('create schema if not exists daybook')
    await attempt(
      client,
      'create extension if not exists vector',
      'The extension "vector" (pgvector) could not be made',
      [
        'Install pgvector 0.8.0 or newer on the database server, then let a superuser run: create extension vector',
      ],
    )
    // Roles belong to the whole server: another database of it may have made this one a moment ago.
    await attempt(
      client,
      // Asked first, as without the right to make roles even `create role` of one that is there is refused.
      `do $$ begin
        if to_regrole('daybook_app') is null then create role daybook_app nologin; end if;
      exception when duplicate_object or unique_violation then null; end $$`,
      'The role "daybook_app" could not be made',
      ['Let a superuser run: create role daybook_app nologin; grant daybook_app to the user of DATABASE_URL'],
    )
    await attempt(
      client,
      'grant usage on schema daybook to daybook_app',
      'The rights could not be granted',
      [],
    )
    await attempt(
      client,
      // Tried rather than asked: since Postgres 16 whoever makes a role is its member and still may not become it.
      `do $$ begin set role daybook_app; reset role; exception when insufficient_privilege then execute format('grant daybook_app to %I', current_user); end $$`,
      'The user of DATABASE_URL cannot become "daybook_app"',
      ['Let a superuser run: grant daybook_app to the user of DATABASE_URL'],
    )
    await checkExtension(client)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

async function attempt(
  client: Client,
  statement: string,
  problem: string,
  advice: readonly string[],
): Promise<void> {
  try {
    await client.query(statement)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DaybookError('CONFIGURATION', [`${problem}: ${reason}.`, ...advice].join('\n'), {
      cause: error,
    })
  }
}

async function checkExtension(client: Client): Promise<void> {
  const { rows } = await client.query<{ extversion: string }>(
    `select extversion from pg_extension where extname = 'vector'`,
  )
  const version = rows[0]?.extversion ?? '0'
  const parts = version.split('.').map(Number)
  const difference =
    OLDEST_PGVECTOR.map((oldest, index) => (parts[index] ?? 0) - oldest).find((d) => d !== 0) ?? 0
  if (difference < 0)
    throw new DaybookError(
      'CONFIGURATION',
      `pgvector ${version} is too old: Daybook needs ${OLDEST_PGVECTOR.join('.')} or newer for filtered vector searches.\n` +
        'Update the package on the database server, then run: alter extension vector update',
    )
}
