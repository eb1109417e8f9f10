import { forgetCheckpoints, lastCommon, noteCheckpoint } from '@daybook/journal/read/checkpoints'
import { readEnd } from '@daybook/journal/read/read'
import type { JournalCursor } from '@daybook/memory/events'
import type { ProjectsLook } from '@daybook/postgres/access/projects'
import { commitUnflushed, type Database } from '@daybook/postgres/connect'
import { isFree, type LeaseOwner, leasedTo, leaseEnd, RELEASED } from '@daybook/postgres/lease'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/*
 * How far each project is published, and the lease of the relay that works on it. Every statement is its own
 * short transaction and uses the database's clock. So no lock is held during publishing, and no machines'
 * clocks are compared. A lease only avoids double work: if two relays believe that they hold it, events are
 * repeated, which the bus allows. Therefore no statement waits for the disk either.
 */

/** `published` if the lease was taken; else why not. */
export type PositionClaim = { readonly published: JournalCursor } | 'held by another' | 'nothing to publish'

/** The fields are null if the project has no position yet. */
interface PublishedRow {
  readonly published: number | null
  readonly sequence: number
  readonly same: boolean | null
}

/** The relay's name as a reader of the journal, for checkpoints. */
const RELAY = { name: 'relay', generation: 0 }

const inMilliseconds = (milliseconds: number) => sql`make_interval(secs => ${milliseconds / 1_000}::float8)`

/**
 * Takes the project's lease for this owner, if something is unpublished and nobody else has it.
 *
 * @param historyMs A project without a position begins after its events that are older than this, in
 * milliseconds. Those were written before there was a relay or this NATS. Projections read them from the
 * journal anyway, and listeners who want events "from now on" must not get them. Younger ones may have been
 * left by a dead process.
 */
export async function takeLease(
  scope: ProjectScope,
  owner: LeaseOwner,
  historyMs: number,
): Promise<PositionClaim> {
  const taken = await tryToTake(scope, owner)
  if (taken !== null) return taken
  const { db, projectId } = scope
  const { rows } = await sql<PublishedRow>`
    select place.published, head.sequence, place.hash = head.hash as same from journal_heads head
    left join relay_positions place on place.project_id = head.project_id
    where head.project_id = ${projectId}`.execute(db)
  const place = rows[0]
  if (place === undefined) return 'nothing to publish'
  if (place.published !== null)
    return place.published === place.sequence && place.same === true
      ? 'nothing to publish'
      : 'held by another'
  await sql`
    with history as (
      select sequence, hash from events
      where project_id = ${projectId} and recorded_at < clock_timestamp() - ${inMilliseconds(historyMs)}
      order by sequence desc limit 1
    )
    insert into relay_positions (project_id, published, hash)
    select ${projectId}, sequence, hash from (
      select * from history union all select 0, decode(repeat('00', 32), 'hex')
    ) beginnings order by sequence desc limit 1
    on conflict do nothing`.execute(db)
  return (await tryToTake(scope, owner)) ?? 'nothing to publish'
}

async function tryToTake({ db, projectId }: ProjectScope, owner: LeaseOwner): Promise<PositionClaim | null> {
  const { rows } = await sql<JournalCursor>`
    update relay_positions place
    set ${leasedTo(owner)}
    from journal_heads head
    where place.project_id = ${projectId} and head.project_id = place.project_id
      and (head.sequence <> place.published or head.hash <> place.hash)
      and (place.lease_owner = ${owner.name} or ${isFree('place')})
      and ${commitUnflushed()}
    returning place.published as sequence, encode(place.hash, 'hex') as hash`.execute(db)
  return rows[0] === undefined ? null : { published: rows[0] }
}

/**
 * Moves the position if this owner still has the lease, and renews or releases the lease.
 * @returns the journal's last sequence; null if the lease was lost; or 'not in the journal' if nothing was
 * moved because the journal does not have the event: it was published from memory, and the journal has lost
 * it since
 */
export async function savePublished(
  { db, projectId }: ProjectScope,
  owner: LeaseOwner,
  published: JournalCursor,
  keep: boolean,
): Promise<number | 'not in the journal' | null> {
  const { sequence, hash } = published
  const { rows } = await sql<{ sequence: number | null; held: boolean }>`
    with moved as (
      update relay_positions place
      set published = ${sequence}, hash = decode(${hash}, 'hex'),
        lease_owner = case when ${keep}::boolean then place.lease_owner end,
        leased_until = case when ${keep}::boolean then ${leaseEnd(owner.leaseMs)} end
      from journal_heads head
      where place.project_id = ${projectId} and head.project_id = place.project_id and place.lease_owner = ${owner.name}
        and ${commitUnflushed()}
        and (${sequence}::bigint = 0 or exists (
          select from events e
          where e.project_id = ${projectId} and e.sequence = ${sequence} and e.hash = decode(${hash}, 'hex')))
      returning head.sequence
    ), noted as (${noteCheckpoint(RELAY, projectId, published)})
    select (select sequence from moved) as sequence,
      exists (select from relay_positions where project_id = ${projectId} and lease_owner = ${owner.name}) as held`.execute(
    db,
  )
  const [row] = rows
  return row?.sequence ?? (row?.held === true ? 'not in the journal' : null)
}

/**
 * Moves a position that the journal does not have back to the last place that both have.
 * @returns that place
 */
export async function goBack(
  scope: ProjectScope,
  owner: LeaseOwner,
  published: JournalCursor,
): Promise<JournalCursor> {
  const { db, projectId } = scope
  const head = await readEnd(scope)
  const common = await lastCommon(scope, RELAY, Math.min(published.sequence, head.sequence))
  await db.transaction().execute(async (trx) => {
    const { numAffectedRows = 0n } = await sql`
      update relay_positions set published = ${common.sequence}, hash = decode(${common.hash}, 'hex')
      where project_id = ${projectId} and lease_owner = ${owner.name} and published = ${published.sequence}`.execute(
      trx,
    )
    if (numAffectedRows > 0n) await forgetCheckpoints(trx, RELAY, projectId, common.sequence)
  })
  return common
}

/** Releases the lease. */
export async function releaseLease({ db, projectId }: ProjectScope, owner: LeaseOwner): Promise<void> {
  await sql`
    update relay_positions set ${RELEASED}
    where project_id = ${projectId} and lease_owner = ${owner.name} and ${commitUnflushed()}`.execute(db)
}

/** The last published sequence of the project; 0 if there is none. */
export async function readPublished({ db, projectId }: ProjectScope): Promise<number> {
  const row = await db
    .selectFrom('relay_positions')
    .select('published')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row?.published ?? 0
}

/**
 * The projects with unpublished events and no current lease. Goes through one row per project.
 * @param afterMs null if another relay has looked within so many milliseconds: one row is read then, so a thousand
 * gateways cost the database as little as one
 */
export async function findUnpublished(db: Database, afterMs: number): Promise<ProjectsLook | null> {
  // One that is yet to come is from before the clock was set back.
  const isOver = (lookedAt: RawBuilder<unknown>) =>
    sql<SqlBool>`${lookedAt} <= clock_timestamp() - ${inMilliseconds(afterMs)} or ${lookedAt} > clock_timestamp()`
  const { rows } = await sql<ProjectsLook & { isTurn: boolean }>`
    with turn as (
      insert into relay_looks as l (looked_at) select clock_timestamp() where ${commitUnflushed()}
        -- A conflict locks the row, and waits for whoever looks, even where nothing is updated.
        and not exists (select from relay_looks where not (${isOver(sql.ref('looked_at'))}))
      on conflict (one_row) do update set looked_at = excluded.looked_at where ${isOver(sql.ref('l.looked_at'))}
      returning 1
    )
    select exists (select from turn) as "isTurn",
      count(*)::int as projects, coalesce(array_agg(head.project_id::text) filter (
        where (head.sequence <> coalesce(place.published, 0) or place.hash <> head.hash) and ${isFree('place')}), '{}') as behind
    from journal_heads head left join relay_positions place on place.project_id = head.project_id
    where exists (select from turn)`.execute(db)
  const [look] = rows
  return look?.isTurn === true ? look : null
}
