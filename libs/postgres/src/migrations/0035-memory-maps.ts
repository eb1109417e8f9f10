import { type Kysely, sql } from 'kysely'
import { secureRows } from '../row-security.ts'

/**
 * Maps of memories by meaning (`@daybook/memory-map`): of each project and generation one. It goes with its generation.
 * Compatible: the previous version knows of none.
 *
 * In arrays, because a map is only ever written and read whole: 20,000 points are one row of half a megabyte. They hold ids
 * and places, nothing of what a memory says, which readers look up in the generation. It does not refer to its project,
 * which goes before what it held (0032).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table daybook.memory_maps (
      project_id uuid not null,
      projection text not null,
      generation int not null,
      sequence bigint not null,
      made_at timestamptz not null default now(),
      memory_ids uuid[] not null,
      xs real[] not null,
      ys real[] not null,
      primary key (project_id, projection, generation),
      foreign key (projection, generation) references daybook.generations on delete cascade,
      check (cardinality(memory_ids) = cardinality(xs) and cardinality(xs) = cardinality(ys))
    )`.execute(db)
  await sql`create index on daybook.memory_maps (projection, generation)`.execute(db)
  await sql`grant select, insert, update, delete on daybook.memory_maps to daybook_app`.execute(db)
  await secureRows(db, sql.table('daybook.memory_maps'))
}
