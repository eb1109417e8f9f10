import { asOwner } from '@daybook/postgres/testing/as-owner'
import type { TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'

/** Switches row level security off on every table. What keeps projects apart then are the queries' own conditions. */
export async function switchRowSecurityOff(database: TestDatabase): Promise<void> {
  await asOwner(database, (owner) =>
    sql`
      do $$ declare secured record;
      begin
        for secured in select oid::regclass as name from pg_class where relrowsecurity and relkind = 'r' loop
          execute format('alter table %s disable row level security', secured.name);
        end loop;
      end $$`.execute(owner),
  )
}
