import { type Kysely, type RawBuilder, sql } from 'kysely'

/**
 * Makes a function in PL/pgSQL that the application may call and that runs with its owner's rights: the way in which
 * the application may do a little of what its role may not.
 * @param signature without the schema: `name(argument type, …)`
 * @param body from `declare` or `begin` to `end`
 */
export async function makeOwnerFunction(
  db: Kysely<unknown>,
  signature: string,
  returns: string,
  body: RawBuilder<unknown>,
): Promise<void> {
  const name = sql.raw(`daybook.${signature.slice(0, signature.indexOf('('))}`)
  await sql`
    create function ${sql.raw(`daybook.${signature} returns ${returns}`)}
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ ${body} $$`.execute(db)
  await sql`revoke all on function ${name} from public`.execute(db)
  await sql`grant execute on function ${name} to daybook_app`.execute(db)
}
