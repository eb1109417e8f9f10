import type { AppendOutcome, AppendRequest } from '@daybook/journal/append/append-request'
import { lockProject, readContext } from '@daybook/journal/append/batch-context'
import { writeEvents } from '@daybook/journal/append/commit-batch'
import { decideBatch } from '@daybook/journal/append/decide-batch'
import { readHash } from '@daybook/journal/chain/read-chain'
import { UnavailableError } from '@daybook/memory/errors'
import type { JournalCursor, LinkedEvent } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type SqlBool, sql } from 'kysely'
import { addToBranch, type NewBranchCommand } from './branch-commands.ts'

/** A request with a key of its own, so that it may be sent to the home more than once. */
export type KeyedRequest = AppendRequest & { readonly idempotencyKey: string }

/** What came of requests that went into a branch. */
interface Branched {
  readonly outcomes: readonly AppendOutcome[]
  /** The provisional events. */
  readonly events: readonly LinkedEvent[]
}

/**
 * Decides requests on what is here, the home's events and the branch, and keeps those that are accepted in the branch,
 * with their provisional events in the journal. What is refused here is not kept; what is in the branch already is not kept
 * twice, and not refused before the home has decided.
 * @throws DaybookError IMPORT_CONFLICT if the project does not follow a home (any more)
 */
export async function appendToBranch(
  { db, projectId }: ProjectScope,
  requests: readonly KeyedRequest[],
): Promise<Branched> {
  return db.transaction().execute(async (trx) => {
    const { now, ...head } = await lockProject(trx, projectId, 'copy')
    const context = await readContext(trx, projectId, requests)
    const { rows, events, newKeyUses, outcomes } = decideBatch(requests, context, { projectId, head, now })
    const { sequence, hash } = events.at(-1) ?? head
    if (events.length > 0 || newKeyUses.size > 0)
      await writeEvents(trx, projectId, rows, newKeyUses, { sequence, hash, recordedAt: now })
    const waiting = await keysInBranch(trx, projectId, requests)
    const accepted = requests.flatMap((request, index): NewBranchCommand[] => {
      const outcome = outcomes[index]
      if (outcome === undefined || 'error' in outcome || outcome.appended.duplicate) return []
      if (waiting.has(request.idempotencyKey)) return []
      const { memory, event } = outcome.appended
      const before = event === null ? memory.version : event.version - 1
      return [
        {
          key: request.idempotencyKey,
          command: request.given ?? request.command,
          metadata: request.metadata,
          memoryId: request.command.id,
          baseVersion: request.command.type === 'remember' ? null : before,
          requestHash: request.requestHash?.toString('hex') ?? null,
          givenAt: request.givenAt ?? now,
        },
      ]
    })
    await addToBranch(trx, projectId, accepted)
    await noteReceipts(
      trx,
      projectId,
      outcomes.flatMap((one) => ('appended' in one ? [one.appended.memory.hash] : [])),
    )
    return {
      outcomes: outcomes.map((outcome, index) =>
        'error' in outcome && waiting.has(requests[index]?.idempotencyKey ?? '')
          ? { error: notDecidedYet(outcome.error) }
          : outcome,
      ),
      events,
    }
  })
}

/**
 * Those of the keys whose commands are in the branch. One that would be refused on what has come from the home meanwhile has
 * no provisional event, so its key is not known as used.
 */
async function keysInBranch(
  trx: DatabaseTransaction,
  projectId: string,
  requests: readonly KeyedRequest[],
): Promise<ReadonlySet<string>> {
  const rows = await trx
    .selectFrom('branch_commands')
    .select('idempotency_key')
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`idempotency_key = any(${requests.map((one) => one.idempotencyKey)}::text[])`)
    .execute()
  return new Set(rows.map((row) => row.idempotency_key))
}

const notDecidedYet = (cause: Error) =>
  new UnavailableError(
    `This request was accepted while the home of the project could not be reached, and waits for its decision, which may be a refusal: ${cause.message}. Ask again when the home has answered (daybook sync status)`,
    { cause },
  )

/*
 * The hashes of provisional events that were given out as receipts. The journal has those events only until the home's
 * arrive. Who reads with such a receipt wants to see what it wrote, and it is there, in another place.
 */

/** How long they are known, in hours. */
const KNOWN_HOURS = 24

/** Notes receipts, and forgets old ones. @param hashes in hex */
async function noteReceipts(
  trx: DatabaseTransaction,
  projectId: string,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return
  await sql`
    delete from branch_receipts
    where project_id = ${projectId} and written_at < clock_timestamp() - make_interval(hours => ${KNOWN_HOURS})`.execute(
    trx,
  )
  await sql`
    insert into branch_receipts (project_id, hash)
    select ${projectId}::uuid, decode(hash, 'hex') from unnest(${hashes}::text[]) as hash
    on conflict do nothing`.execute(trx)
}

/** Whether a place is the receipt of a provisional event that the journal has no more. */
export async function isReplacedReceipt(
  scope: ProjectScope,
  { sequence, hash }: JournalCursor,
): Promise<boolean> {
  if ((await readHash(scope, sequence)) === hash) return false
  const found = await scope.db
    .selectFrom('branch_receipts')
    .select('hash')
    .where('project_id', '=', scope.projectId)
    .where('hash', '=', Buffer.from(hash, 'hex'))
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Takes the branch's provisional events from the journal, which ends with the home's then. Call it under the project's lock.
 * @param head the journal's end
 * @returns the last of the home's events that is here
 */
export async function dropProvisional(
  trx: DatabaseTransaction,
  projectId: string,
  head: Pick<JournalCursor, 'sequence'>,
): Promise<JournalCursor> {
  const { copied, copied_hash } = await trx
    .selectFrom('followed_projects')
    .select(['copied', 'copied_hash'])
    .where('project_id', '=', projectId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (head.sequence > copied) await sql`select drop_copied_events(${projectId}, ${copied})`.execute(trx)
  return { sequence: copied, hash: copied_hash.toString('hex') }
}
