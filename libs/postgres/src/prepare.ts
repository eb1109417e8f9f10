import { DaybookError } from '@daybook/memory/errors'
import { reasonOf } from '@daybook/runtime/reason-of'
import type { Client } from 'pg'
import { APPLICATION_ROLE, type DatabaseAddress, INDEXER_ROLE, withClient } from './connect.ts'

/** The oldest pgvector with iterative scans; without them a filtered vector search returns too little. */
const OLDEST_PGVECTOR = [0, 8, 0] as const

/** The roles that services work as, whatever they log in as. */
const ROLES = [APPLICATION_ROLE, INDEXER_ROLE]

/** The lock that first starts wait for. The number is arbitrary but must stay. */
const PREPARE_LOCK = 7_033_214

/**
 * Makes what migrations and sessions need: the schema, the extension, the roles and their rights. Processes
 * that start at the same moment take turns.
 * @param address of the owner
 * @param loginRole the role that services log in as, if that is not the owner; it is allowed to work as the
 * application
 * @throws DaybookError CONFIGURATION
 */
export async function prepareDatabase(
  address: DatabaseAddress,
  loginRole: string | null = null,
): Promise<void> {
  await withClient(address.connection, async (client) => {
    // As in connect.ts: on the embedded database the previous connection's role would remain.
    await client.query('reset role')
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(${PREPARE_LOCK})`)
    await client.query('create schema if not exists daybook')
    await attempt(
      client,
      'create extension if not exists vector',
      'The extension "vector" (pgvector) could not be created',
      [
        'Install pgvector 0.8.0 or newer on the database server, then let a superuser run: create extension vector',
      ],
    )
    for (const role of ROLES) await makeRole(client, role)
    await attempt(
      client,
      `grant usage on schema daybook to daybook_app;
       do $$ begin execute format('grant create on database %I to daybook_indexer', current_database()); end $$`,
      'The rights could not be granted',
      [],
    )
    // On a server, its administrator has made the login role, with a password, perhaps under the same name.
    if (loginRole !== null && !address.ownSessions) {
      await makeRole(client, loginRole)
      await letMaintain(client)
    }
    if (loginRole !== null) await letIn(client, loginRole)
    await checkExtension(client)
    await client.query('commit')
  })
}

async function makeRole(client: Client, role: string): Promise<void> {
  // Roles belong to the whole server: another of its databases may have made this one a moment ago.
  await attempt(
    client,
    // Checked first: without the right to make roles, `create role` fails even if the role exists.
    `do $$ begin
      if to_regrole('${role}') is null then create role ${role} nologin; end if;
    exception when duplicate_object or unique_violation then null; end $$`,
    `The role "${role}" could not be created`,
    [`Let a superuser run: create role ${role} nologin; grant ${role} to the user of DATABASE_URL`],
  )
  await attempt(
    client,
    // Tried rather than checked: since Postgres 16, the maker of a role is its member but may still not
    // become it.
    `do $$ begin set role ${role}; reset role; exception when insufficient_privilege then execute format('grant ${role} to %I', current_user); end $$`,
    `The user of DATABASE_URL cannot become "${role}"`,
    [`Let a superuser run: grant ${role} to the user of DATABASE_URL`],
  )
}

/**
 * For `embedded/maintain-tables.ts` and `maintain-tables.ts`: the embedded database has nobody else to do it. The
 * rights show no data.
 */
async function letMaintain(client: Client): Promise<void> {
  await attempt(
    client,
    `grant pg_maintain, pg_checkpoint to ${APPLICATION_ROLE};
     grant execute on function pg_switch_wal() to ${APPLICATION_ROLE}`,
    'The right to maintain tables could not be granted',
    [],
  )
}

async function letIn(client: Client, loginRole: string): Promise<void> {
  for (const role of ROLES)
    await attempt(
      client,
      `do $$ begin
        if not pg_has_role(${client.escapeLiteral(loginRole)}, '${role}', 'member')
        then grant ${role} to ${client.escapeIdentifier(loginRole)}; end if;
      end $$`,
      `The user of DATABASE_URL, "${loginRole}", could not be allowed to work as "${role}"`,
      [`Let a superuser run: grant ${ROLES.join(', ')} to ${loginRole}`],
    )
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
    throw new DaybookError('CONFIGURATION', [`${problem}: ${reasonOf(error)}.`, ...advice].join('\n'), {
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
