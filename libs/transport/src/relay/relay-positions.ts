import { forgetCheckpoints, lastCommon, noteCheckpoint } from '@daybook/journal/read/checkpoints'
import { readEnd } from '@daybook/journal/read/read'
import type { JournalCursor } from '@daybook/memory/events'
import type { Database } from '@daybook/postgres/connect'
import { isFree, type LeaseOwner, leasedTo, leaseEnd, RELEASED } from '@daybook/postgres/lease'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/*
 * How far each project is published, and the lease of the relay that is at it. Every statement is one short transaction
 * of its own and goes by the database's clock, so that no lock is held while something is published and no two machines'
 * clocks are compared. A lease only keeps relays from doing the same work twice; what happens when two believe that they
 * hold it is a repetition, which the bus allows.
 */

/** `published` where the lease was got; else why not. */
export type Taken = { readonly published: JournalCursor } | 'held by another' | 'nothing to publish'

/** Null: the project has no position yet. */
interface PublishedRow {
  readonly published: number | null
  readonly sequence: number
  readonly same: boolean | null
}

/** As it passes through places of the journal. */
const RELAY = { name: 'relay', generation: 0 }

const inMilliseconds = (milliseconds: number) => sql`make_interval(secs => ${milliseconds / 1_000}::float8)`

/**
 * Takes the project for this owner, where something of it is unpublished and nobody else has it.
 *
 * @param historyMs A project without a position begins after its events that are older. They are history: written before
 * there was a relay, or before this NATS; everyone who posts a projection reads them from the journal anyway, and a listener
 * who asked for what comes "from now on" must not get them. What is younger may be what a dead process left.
 */
export async function takeLease(scope: ProjectScope, owner: LeaseOwner, historyMs: number): Promise<Taken> {
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

async function tryToTake({ db, projectId }: ProjectScope, owner: LeaseOwner): Promise<Taken | null> {
  const { rows } = await sql<JournalCursor>`
    update relay_positions place
    set ${leasedTo(owner)}
    from journal_heads head
    where place.project_id = ${projectId} and head.project_id = place.project_id
      and (head.sequence <> place.published or head.hash <> place.hash)
      and (place.lease_owner = ${owner.name} or ${isFree('place')})
    returning place.published as sequence, encode(place.hash, 'hex') as hash`.execute(db)
  return rows[0] === undefined ? null : { published: rows[0] }
}

/** Keeps the lease for another while. Without effect where it is lost. */
export async function renewLease({ db, projectId }: ProjectScope, owner: LeaseOwner): Promise<void> {
  await sql`
    update relay_positions set leased_until = ${leaseEnd(owner.leaseMs)}
    where project_id = ${projectId} and lease_owner = ${owner.name}`.execute(db)
}

/**
 * Moves the position, where the lease is still this owner's, and keeps the lease as long as more is to be published.
 * @param keep false gives it up in any case
 * @returns the journal's last sequence; null where the lease was lost; or that nothing was moved, since the journal has no such
 *   event: what was published came from memory, and the journal has lost it since
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
        lease_owner = case when ${keep}::boolean and head.sequence > ${sequence} then place.lease_owner end,
        leased_until = case when ${keep}::boolean and head.sequence > ${sequence}
          then ${leaseEnd(owner.leaseMs)} end
      from journal_heads head
      where place.project_id = ${projectId} and head.project_id = place.project_id and place.lease_owner = ${owner.name}
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
 * Takes the position, which the journal does not have, back to the last place that both have.
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

/** Lets others have the project. */
export async function releaseLease({ db, projectId }: ProjectScope, owner: LeaseOwner): Promise<void> {
  await sql`
    update relay_positions set ${RELEASED}
    where project_id = ${projectId} and lease_owner = ${owner.name}`.execute(db)
}

/** The last sequence of the project that was published; 0 where none was. */
export async function readPublished({ db, projectId }: ProjectScope): Promise<number> {
  const row = await db
    .selectFrom('relay_positions')
    .select('published')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row?.published ?? 0
}

/** The projects with something unpublished that nobody is at. Goes through one row a project. */
export async function findUnpublished(db: Database): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select head.project_id from journal_heads head
    left join relay_positions place on place.project_id = head.project_id
    where (head.sequence <> coalesce(place.published, 0) or place.hash <> head.hash)
      and ${isFree('place')}`.execute(db)
  return rows.map((row) => row.project_id)
}
