import { type Kysely, sql } from 'kysely'
import { secureRows } from '../row-security.ts'

/**
 * Positions become cursors, with sequence and hash, so that it is noticed when a journal loses its end and
 * continues with other events. Checkpoints keep some places that a position passed, to find the last one in
 * common. Breaking: the previous version moves positions without their hashes.
 *
 * A position whose event is missing keeps the hash of the chain's start. It counts as diverged, and its
 * writer heals it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, column] of [
    ['positions', 'position'],
    ['relay_positions', 'published'],
  ] as const) {
    const place = sql.table(`daybook.${table}`)
    await sql`
      alter table ${place} add column hash bytea not null default decode(repeat('00', 32), 'hex')`.execute(db)
    await sql`
      update ${place} as place set hash = e.hash from daybook.events e
      where e.project_id = place.project_id and e.sequence = place.${sql.ref(column)}`.execute(db)
  }
  // In which run of which database server a read model outside it was last seen to agree with the position.
  await sql`alter table daybook.positions add column server_run text`.execute(db)
  await sql`
    create table daybook.checkpoints (
      reader text not null,
      generation integer not null,
      project_id uuid not null,
      slot bigint not null,
      number bigint not null,
      sequence bigint not null,
      hash bytea not null,
      noted_at timestamptz not null default clock_timestamp(),
      primary key (reader, generation, project_id, slot)
    )`.execute(db)
  await secureRows(db, sql.table('daybook.checkpoints'))
  await sql`grant select, insert, update, delete on daybook.checkpoints to daybook_app`.execute(db)
  await sql`
    insert into daybook.checkpoints (reader, generation, project_id, slot, number, sequence, hash)
    select projection, generation, project_id, 1, 1, position, hash from daybook.positions where position > 0
    union all
    select 'relay', 0, project_id, 1, 1, published, hash from daybook.relay_positions where published > 0`.execute(
    db,
  )
}
