import { type Kysely, type RawBuilder, sql } from 'kysely'

/**
 * What the journal needs to find the memory that is the same thing, and the read model to find what supersedes
 * a memory and the parts of a document. All of it is computed by Postgres from what the rows hold. So imports,
 * erasures, rebuilds and the previous version's processes keep it right. Compatible. Events and memories are
 * written anew, some 10 s for a million of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table daybook.events add column identity_hash bigint generated always as (${IDENTITY_HASH}) stored`.execute(
    db,
  )
  await sql`
    create index events_identity_idx on daybook.events (project_id, identity_hash, sequence)
    where identity_hash is not null`.execute(db)
  const { rows } = await sql<{ table: string }>`
    select format('%I.%I', schemaname, tablename) as table from pg_tables
    where tablename = 'memories' and schemaname in (
      select 'pgvector_' || generation from daybook.generations where projection = 'pgvector')`.execute(db)
  for (const { table } of rows) {
    const memories = sql.raw(table)
    // As columns: under row level security an index may not serve a comparison of a part of `state`.
    await sql`
      alter table ${memories} add column supersedes text generated always as (state->>'supersedes') stored,
        add column part_of text generated always as (state->'part'->>'document') stored`.execute(db)
    await sql`create index on ${memories} (project_id, supersedes) where supersedes is not null`.execute(db)
    await sql`create index on ${memories} (project_id, part_of) where part_of is not null`.execute(db)
  }
}

const text = (path: RawBuilder<unknown>) => sql`coalesce(data->'state'${path}, '')`
const withLength = (word: RawBuilder<unknown>) => sql`char_length(${word}) || ':' || (${word})`

const CONTEXT = withLength(text(sql`->>'context'`))
const content = (field: string) => sql`data->'state'->'content'->>${sql.lit(field)}`

/** Null if the key is: in SQL, whatever is joined with null is null. */
const named = (kind: string, key: string) => sql`${withLength(sql.lit(kind))} || ${withLength(content(key))}`

/**
 * A hash of `identityKeyOf` (libs/memory/src/existing/identity-key.ts), of the events that changed something in
 * it; null of all others. So a key that is remembered again and again has one entry, not one for each version.
 */
const IDENTITY_HASH = sql`
  case when data->'changed' ?| array['content.key', 'content.name', 'content.topic', 'content.type',
    'content.externalId', 'context', 'part'] then hashtextextended(
    case
      when data->'state'->'part'->>'number' <> '1' then
        '4:part' || ${withLength(text(sql`->'part'->>'document'`))} || ${withLength(text(sql`->'part'->>'number'`))}
      when data->'state'->>'kind' = 'insight' then ${named('insight', 'key')} || ${CONTEXT}
      when data->'state'->>'kind' = 'stash' then ${named('stash', 'name')} || ${CONTEXT}
      when data->'state'->>'kind' = 'decision' then ${named('decision', 'topic')} || ${CONTEXT}
      when data->'state'->>'kind' = 'entity' then ${named('entity', 'name')} || ${CONTEXT}
        || ${withLength(text(sql`->'content'->>'type'`))}
      when data->'state'->>'kind' = 'document' then ${named('document', 'externalId')} || '0:'
    end, 0) end`
