import { lockProject, versionKey } from '@daybook/journal/append/batch-context'
import { readChain } from '@daybook/journal/chain/read-chain'
import { readKeys } from '@daybook/journal/export/export-journal'
import { readJournal } from '@daybook/journal/read/read'
import type { JournalRecord } from '@daybook/journal/read/stored-event'
import { CHAIN_START } from '@daybook/memory/event-hash'
import { ERASED_EVENT, type LinkedEvent } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import {
  addToBranch,
  type BranchCommand,
  type NewBranchCommand,
  readBranch,
} from '../branch/branch-commands.ts'
import { commandOfEvent } from '../branch/command-of-event.ts'
import { noteConflict } from '../branch/conflicts.ts'
import { replayBranch } from '../branch/rebase-branch.ts'
import { updateFollowed } from './followed-projects.ts'

/** What became of events that the home does not have. */
export interface Retreat {
  /** How many events were taken back. */
  readonly events: number
  /** How many commands came of them. */
  readonly commands: number
  /** The branch's provisional events, made again. */
  readonly replayed: readonly LinkedEvent[]
}

/** Events read at a time. */
const PAGE = 500

/**
 * Takes the copy back to the last event that its home has too. What came after it is not lost: it becomes commands, which
 * go before all others of the branch and are sent to the home. That is for a home that lost its journal's end, and for one
 * that comes back after another became the home.
 *
 * An erasure cannot be sent again by itself, because its key may not erase; it is noted among the conflicts.
 */
export async function retreat({ db, projectId }: ProjectScope, common: number): Promise<Retreat> {
  return db.transaction().execute(async (trx) => {
    const locked = await lockProject(trx, projectId, 'copy')
    const { copied } = await trx
      .selectFrom('followed_projects')
      .select('copied')
      .where('project_id', '=', projectId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const scope = { db: trx, projectId }
    await updateFollowed(scope, { mayGoBack: false })
    const found = await commandsAfter(scope, common, copied)
    const waiting = await readBranch(trx, projectId)
    await trx.deleteFrom('branch_commands').where('project_id', '=', projectId).execute()
    const { rows } = await sql<{ gone: number }>`
      select drop_copied_events(${projectId}, ${common})::int as gone`.execute(trx)
    await addToBranch(trx, projectId, [...found.commands, ...markUnseen(found.commands, waiting)])
    for (const one of found.erasures) await noteErasure(trx, projectId, one)
    await rewindToErased(trx, projectId, found.erasures)
    const [end] = await readChain(scope, { after: common - 1, upTo: common, limit: 1 })
    const replayed = await replayBranch(trx, projectId, {
      ...locked,
      sequence: common,
      hash: end?.hash ?? CHAIN_START,
    })
    return { events: rows[0]?.gone ?? 0, commands: found.commands.length, replayed }
  })
}

/**
 * Marks which of the branch's commands do not rest on those that are put before them: the first one of a memory, if its writer saw
 * an earlier version.
 */
function markUnseen(
  found: readonly NewBranchCommand[],
  waiting: readonly BranchCommand[],
): readonly NewBranchCommand[] {
  const versions = new Map(found.map(({ memoryId, baseVersion }) => [memoryId, (baseVersion ?? 0) + 1]))
  return waiting.map((one) => {
    const version = versions.get(one.memoryId)
    versions.delete(one.memoryId)
    return version === undefined || one.baseVersion === null || one.baseVersion >= version
      ? one
      : { ...one, restsOnPrevious: false }
  })
}

async function commandsAfter(scope: ProjectScope, common: number, upTo: number) {
  const commands: NewBranchCommand[] = []
  const erasures: JournalRecord[] = []
  /** Texts of further parts of documents, which stand before the document. */
  const parts = new Map<string, Map<number, string>>()
  for (let after = common; after < upTo; ) {
    const records = (await readJournal(scope, { after, limit: PAGE })).filter(
      ({ sequence }) => sequence <= upTo,
    )
    const last = records.at(-1)
    if (last === undefined) break
    after = last.sequence
    const chained = await readChain(scope, {
      after: (records[0]?.sequence ?? 1) - 1,
      upTo: after,
      limit: PAGE,
    })
    const keys = await readKeys(scope, chained)
    for (const record of records) {
      const { event, envelope } = record
      if (envelope.type === ERASED_EVENT) erasures.push(record)
      if (event === null) continue
      const { state, writer } = event.data
      const text = state.content['content']
      if (state.part !== undefined && state.part.number > 1 && typeof text === 'string') {
        const texts = parts.get(state.part.document) ?? new Map<number, string>()
        parts.set(state.part.document, texts.set(state.part.number, text))
      }
      const texts = [...(parts.get(event.memoryId) ?? [])].toSorted(([a], [b]) => a - b).map(([, one]) => one)
      const command = commandOfEvent(event, texts)
      if (command === null) continue
      const [key] = keys.get(versionKey(event.memoryId, event.version)) ?? []
      commands.push({
        key: key?.key ?? `event:${event.eventId}`,
        command,
        metadata: {
          actor: event.actor,
          correlationId: event.correlationId,
          causationId: event.causationId,
          ...(writer !== undefined && { writer }),
        },
        memoryId: event.memoryId,
        baseVersion: event.version === 1 ? null : event.version - 1,
        requestHash: key?.requestHash ?? null,
        givenAt: event.recordedAt,
      })
    }
  }
  return { commands, erasures }
}

/**
 * Has the projections go back to before the first event of a memory whose erasure was taken back with the end. Its content is gone
 * from the events that stay, and a projection that had not come to the erasure would never hear of it, and keep the content.
 */
async function rewindToErased(
  trx: DatabaseTransaction,
  projectId: string,
  erasures: readonly JournalRecord[],
): Promise<void> {
  if (erasures.length === 0) return
  const memoryIds = erasures.map(({ memoryId }) => memoryId)
  const first = sql`(
    select min(sequence) from events
    where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[]) and data is null)`
  await sql`
    delete from checkpoints where project_id = ${projectId} and reader <> 'relay' and sequence >= ${first}`.execute(
    trx,
  )
  // No event has this hash, so the projection finds that it has diverged (`divergence.ts`).
  await sql`
    update positions set hash = decode(${CHAIN_START}, 'hex')
    where project_id = ${projectId} and position >= ${first}`.execute(trx)
}

async function noteErasure(
  trx: DatabaseTransaction,
  projectId: string,
  { memoryId, envelope }: JournalRecord,
): Promise<void> {
  await noteConflict(
    trx,
    projectId,
    {
      position: 0,
      key: `event:${envelope.eventId}`,
      command: { type: 'forget', id: memoryId },
      metadata: {
        actor: envelope.actor,
        correlationId: envelope.correlationId,
        causationId: envelope.causationId,
      },
      memoryId,
      baseVersion: null,
      requestHash: null,
      givenAt: envelope.recordedAt,
      sequence: null,
    },
    {
      code: 'ERASURE',
      message:
        'This memory was erased for good, and its home does not know it: erase it there again (daybook erase). MINE only forgets it',
    },
    null,
  )
}
