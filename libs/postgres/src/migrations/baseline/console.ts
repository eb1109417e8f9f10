import { type Kysely, sql } from 'kysely'
import { makeOwnerFunction } from '../../project-scope.ts'
import { makeTable } from './make-table.ts'

/** Of one key, at a time; the oldest make room. Nobody clicks on more links, or has more browsers. */
const MOST = { tokens: 10, sessions: 100 } as const

/**
 * Sessions of the web console, and the tokens of the links that open one. Each belongs to a key and ends with it.
 *
 * Only hashes are stored (SHA-256), which the application cannot read. Functions of the owner look them up for whoever
 * shows one, and answer with what the key opens, as `find_api_key` does; with its hash besides, by which the database
 * knows an administrator again.
 */
export async function makeConsoleSessions(db: Kysely<unknown>): Promise<void> {
  await makeTable(
    db,
    'login_tokens',
    { rights: null, projectColumn: null },
    sql`
    token_hash bytea primary key,
    key_id uuid not null references daybook.api_keys on delete cascade,
    expires_at timestamptz not null`,
  )
  await sql`create index on daybook.login_tokens (key_id)`.execute(db)
  await makeTable(
    db,
    'console_sessions',
    { rights: null, projectColumn: null },
    sql`
    id uuid primary key,
    token_hash bytea not null unique,
    key_id uuid not null references daybook.api_keys on delete cascade,
    created_at timestamptz not null default now(),
    used_at timestamptz not null default now(),
    expires_at timestamptz not null`,
  )
  await sql`create index on daybook.console_sessions (key_id)`.execute(db)
  await sql`
    grant select (id, key_id, created_at, used_at, expires_at) on daybook.console_sessions to daybook_app`.execute(
    db,
  )
  await makeOwnerFunction(
    db,
    'create_login_token(acting bytea, made_hash bytea, lasts interval)',
    'timestamptz',
    sql`
    declare of_key uuid; ends timestamptz := now() + lasts;
    begin
      select k.id into of_key from daybook.api_keys k
      where k.key_hash = acting and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
      if not found then return null; end if;
      delete from daybook.login_tokens t where t.expires_at <= now() or t.token_hash in (
        select o.token_hash from daybook.login_tokens o where o.key_id = of_key
        order by o.expires_at desc offset ${sql.lit(MOST.tokens - 1)});
      insert into daybook.login_tokens values (made_hash, of_key, ends);
      return ends;
    end`,
  )
  await makeOwnerFunction(
    db,
    'open_console_session(shown bytea, made_id uuid, made_hash bytea, lasts interval)',
    'boolean',
    sql`
    declare of_key uuid;
    begin
      -- Of two that show one token at the same moment, the second finds it gone.
      delete from daybook.login_tokens t where t.token_hash = shown and t.expires_at > now() returning t.key_id into of_key;
      select k.id into of_key from daybook.api_keys k
      where (k.id = of_key or k.key_hash = shown) and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now());
      if not found then return false; end if;
      delete from daybook.console_sessions s where s.expires_at <= now() or s.id in (
        select o.id from daybook.console_sessions o where o.key_id = of_key
        order by o.used_at desc offset ${sql.lit(MOST.sessions - 1)});
      insert into daybook.console_sessions (id, token_hash, key_id, expires_at)
      values (made_id, made_hash, of_key, now() + lasts);
      return true;
    end`,
  )
  await makeOwnerFunction(
    db,
    'find_console_session(shown bytea, idle interval)',
    `table (session_id uuid, session_ends timestamptz, key_hash bytea, id uuid, name text, scopes text[], admin boolean,
      project_ids uuid[], ended text)`,
    sql`
    declare one daybook.console_sessions;
    begin
      select * into one from daybook.console_sessions s
      where s.token_hash = shown and s.expires_at > now() and s.used_at > now() - idle;
      if not found then return; end if;
      -- Once a minute is exact enough for an idle time of hours, and writes little.
      if one.used_at < now() - interval '1 minute' then
        update daybook.console_sessions s set used_at = now() where s.id = one.id;
      end if;
      return query select one.id, one.expires_at, k.key_hash, f.*
        from daybook.api_keys k, daybook.find_api_key(k.key_hash) f where k.id = one.key_id;
    end`,
  )
  await makeOwnerFunction(
    db,
    'end_console_session(shown bytea)',
    'boolean',
    sql`
    begin
      delete from daybook.console_sessions s where s.token_hash = shown;
      return found;
    end`,
  )
}
