import { lockProject } from '@daybook/journal/append/batch-context'
import { isErased } from '@daybook/journal/chain/check-chain'
import type { ImportedEvent } from '@daybook/journal/import/check-project'
import { leaveUnpublished } from '@daybook/journal/import/leave-unpublished'
import { asConflict, insertImported } from '@daybook/journal/import/write-imported'
import type { CommittedEvent, EventEnvelope } from '@daybook/memory/events'
import { upcast } from '@daybook/memory/upcast'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type SqlBool, sql } from 'kysely'
import { dropProvisional } from '../branch/append-to-branch.ts'
import { replayBranch } from '../branch/rebase-branch.ts'
import type { HomeState } from '../wire/stream-line.ts'

/** What a batch came to. */
interface Applied {
  /** The home's events, as listeners of the bus get them; and the branch's, made again. */
  readonly events: readonly CommittedEvent[]
  /** Whether provisional events were replaced: what readers have of them is not in the journal any more. */
  readonly rebased: boolean
}

/** The copy is at another place than these events: another process has added some, or taken some back. */
export class CopyMoved extends Error {
  constructor() {
    super('the copy is at another place than the events from its home')
    this.name = 'CopyMoved'
  }
}

/**
 * Adds the home's next events to the copy, in one transaction: the branch's provisional events go, the home's come, what of
 * the branch is among them leaves it, and the rest is decided again on top.
 *
 * @param events checked, and linked to each other
 * @param live whether they are news; else they are marked as published, like those of an import
 * @throws CopyMoved; ImportConflictError; errors of the database
 */
export async function applyHomeEvents(
  { db, projectId }: ProjectScope,
  events: readonly ImportedEvent[],
  { live }: { readonly live: boolean },
): Promise<Applied> {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined) return { events: [], rebased: false }
  return asConflict(first.sequence, last.sequence, () =>
    db.transaction().execute(async (trx) => {
      const locked = await lockProject(trx, projectId, 'copy')
      const copied = await dropProvisional(trx, projectId, locked)
      if (first.sequence !== copied.sequence + 1 || first.previous !== copied.hash) throw new CopyMoved()
      const rebased = locked.sequence > copied.sequence
      const { contents } = await insertImported(trx, projectId, copied, events)
      await settleBranch(trx, projectId, events)
      await trx
        .updateTable('followed_projects')
        .set({ copied: last.sequence, copied_hash: Buffer.from(last.hash, 'hex') })
        .where('project_id', '=', projectId)
        .execute()
      const { sequence, hash, epoch = 1 } = last
      const replayed = await replayBranch(trx, projectId, { ...locked, sequence, hash, epoch })
      if (!live && contents === 0 && replayed.length === 0)
        await leaveUnpublished(trx, projectId, { before: copied.sequence, after: last })
      return { events: live ? [...events.map(toCommitted), ...replayed] : replayed, rebased }
    }),
  )
}

/**
 * Takes from the branch what has arrived with the home's events, whether or not the home's answer did; and what is about
 * memories that are erased, because their content must be nowhere.
 */
async function settleBranch(
  trx: DatabaseTransaction,
  projectId: string,
  events: readonly ImportedEvent[],
): Promise<void> {
  const keys = events.flatMap((event) => event.keys.map(({ key }) => key))
  await trx
    .deleteFrom('branch_commands')
    .where('project_id', '=', projectId)
    .where((either) =>
      either.or([
        either('sequence', '<=', events.at(-1)?.sequence ?? 0),
        sql<SqlBool>`idempotency_key = any(${keys}::text[])`,
      ]),
    )
    .execute()
  const erased = [...new Set(events.filter(isErased).map(({ memoryId }) => memoryId))]
  if (erased.length === 0) return
  for (const table of ['branch_commands', 'sync_conflicts'] as const)
    await trx
      .deleteFrom(table)
      .where('project_id', '=', projectId)
      .where(sql<SqlBool>`memory_id = any(${erased}::uuid[])`)
      .execute()
}

/** The event as the bus carries it; its envelope if it cannot be read here, or was erased. */
function toCommitted({ previous, type, schemaVersion, data, ...event }: ImportedEvent): CommittedEvent {
  const { projectId, sequence, hash, eventId, memoryId, version, recordedAt } = event
  const { actor, correlationId, causationId } = event
  const envelope: EventEnvelope = {
    projectId,
    sequence,
    hash,
    eventId,
    memoryId,
    version,
    type,
    recordedAt,
    actor,
    correlationId,
    causationId,
    traceparent: null,
  }
  const bare = { ...envelope, previousHash: previous }
  if (data === null) return bare
  try {
    return { ...bare, ...upcast({ memoryId, type, schemaVersion, data }) }
  } catch {
    // The journal has it; projections that read it there park it and say why.
    return bare
  }
}

/**
 * Takes over what holds at the home beside events: who is in quarantine, at once; and the project's language, which counts
 * for the generations that are built from then on. A language that this database does not have is left as it is.
 */
export async function applyHomeState(
  { db, projectId }: ProjectScope,
  { quarantines, language }: HomeState,
): Promise<void> {
  await sql`select mirror_quarantines(${projectId}, ${JSON.stringify(quarantines)}::jsonb)`.execute(db)
  await sql`
    update projects set language = ${language}
    where id = ${projectId} and language <> ${language}
      and exists (select from pg_ts_config where cfgname = ${language} and pg_ts_config_is_visible(oid))`.execute(
    db,
  )
}
