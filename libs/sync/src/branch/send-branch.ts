import { lockProject } from '@daybook/journal/append/batch-context'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { ConflictRule } from '../follower/followed-projects.ts'
import type { HomeClient } from '../follower/home-client.ts'
import type { Decided, Receipt, SentCommand } from '../wire/sent-command.ts'
import { fromWire, type WireError } from '../wire/wire-error.ts'
import { type BranchCommand, effectiveCommand, readWaiting, toBranchCommand } from './branch-commands.ts'
import { noteConflict } from './conflicts.ts'

/** Commands sent at a time. */
const BATCH = 200
/** And bytes: a home reads 16 MiB (`services/gateway/src/sync/serve-sync.ts`). */
const BATCH_BYTES = 4 * 1024 * 1024

/** What sending some commands came to. */
export interface SentBatch {
  readonly sent: number
  /** Those that left the branch without an event that the copy waits for. */
  readonly withoutEvent: number
  /** The highest sequence among the receipts; 0 if there is none. */
  readonly upTo: number
}

/**
 * Sends the branch's next commands to the home, which decides them in order. At most one about each memory at a time: what
 * the next one's writer saw is what the one before it came to.
 *
 * A command that was decided on another version than its writer saw is a conflict. By the rule `LATEST_WINS` it is sent
 * again without a condition, and the conflict noted; by `ASK` it waits for a person, with all later ones about the memory.
 * What the home refuses for another reason waits too, so that nothing acknowledged is lost.
 *
 * @throws UnavailableError if the home does not answer: the commands stay where they are. It may have decided them; sent
 * again under the same keys, they come to the same
 */
export async function sendBranch(
  scope: ProjectScope,
  home: HomeClient,
  rule: ConflictRule,
  signal?: AbortSignal,
): Promise<SentBatch> {
  const batch = oncePerMemory(await readWaiting(scope.db, scope.projectId, BATCH))
  if (batch.length === 0) return { sent: 0, withoutEvent: 0, upTo: 0 }
  const sent = withinBytes(batch.map(toSent))
  const decided = await home.decide(sent, signal)
  for (const one of decided) if ('error' in one && isPassing(one.error)) throw fromWire(one.error)
  return scope.db.transaction().execute(async (trx) => {
    await lockProject(trx, scope.projectId, 'copy')
    let withoutEvent = 0
    let upTo = 0
    for (const [index, one] of batch.slice(0, sent.length).entries()) {
      const answer = decided[index] as Decided
      if ('error' in answer) {
        await settleRefused(trx, scope.projectId, one, answer.error, rule)
        withoutEvent += 1
      } else {
        const { receipt } = answer
        await settleAppended(trx, scope.projectId, one, receipt)
        // Of one that was decided before, it is not known whether it made an event.
        if (receipt.written === null) withoutEvent += 1
        upTo = Math.max(upTo, receipt.sequence)
      }
    }
    return { sent: sent.length, withoutEvent, upTo }
  })
}

/** The beginning in which no memory comes twice. */
function oncePerMemory(commands: readonly BranchCommand[]): readonly BranchCommand[] {
  const seen = new Set<string>()
  const end = commands.findIndex(({ memoryId }) => seen.size === seen.add(memoryId).size)
  return end < 0 ? commands : commands.slice(0, end)
}

/** The beginning that a home reads as one request; at least one. */
function withinBytes(commands: readonly SentCommand[]): readonly SentCommand[] {
  let bytes = 0
  const end = commands.findIndex((one, index) => {
    bytes += Buffer.byteLength(JSON.stringify(one))
    return index > 0 && bytes > BATCH_BYTES
  })
  return end < 0 ? commands : commands.slice(0, end)
}

function toSent(one: BranchCommand): SentCommand {
  const { correlationId, causationId, writer } = one.metadata
  return {
    key: one.key,
    command: effectiveCommand(one, true),
    given: one.command,
    ...(one.requestHash !== null && { requestHash: one.requestHash }),
    givenAt: one.givenAt,
    correlationId,
    causationId,
    ...(writer?.agent !== undefined && { agent: writer.agent }),
    ...(writer?.client !== undefined && { client: writer.client }),
  }
}

/** Refusals that say nothing about the command: the home is out of order, or the project full for now. */
const PASSING: ReadonlySet<string> = new Set([
  'UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'RATE_LIMITED',
  'LIMIT_EXCEEDED',
  'BUSY',
  'DEADLINE',
  'CONFIGURATION',
  'QUARANTINED',
])

const isPassing = ({ code }: WireError): boolean => PASSING.has(code)

async function settleAppended(
  trx: DatabaseTransaction,
  projectId: string,
  one: BranchCommand,
  { memoryId, version, sequence }: Receipt,
): Promise<void> {
  await trx
    .updateTable('branch_commands')
    .set({ sequence })
    .where('project_id', '=', projectId)
    .where('position', '=', one.position)
    .execute()
  const next = await trx
    .selectFrom('branch_commands')
    .select('position')
    .where('project_id', '=', projectId)
    .where('memory_id', '=', one.memoryId)
    .where('position', '>', one.position)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
  if (next === undefined) return
  // The home may have found that the new memory is one that it has.
  if (memoryId !== one.memoryId)
    await trx
      .updateTable('branch_commands')
      .set({ memory_id: memoryId })
      .where('project_id', '=', projectId)
      .where('memory_id', '=', one.memoryId)
      .where('position', '>', one.position)
      .execute()
  // Its writer saw what this one came to.
  await trx
    .updateTable('branch_commands')
    .set({ base_version: version })
    .where('project_id', '=', projectId)
    .where('position', '=', next.position)
    .where('base_version', 'is not', null)
    .where('rests_on_previous', '=', true)
    .execute()
}

async function settleRefused(
  trx: DatabaseTransaction,
  projectId: string,
  one: BranchCommand,
  error: WireError,
  rule: ConflictRule,
): Promise<void> {
  if (error.code === 'VERSION_CONFLICT' && rule === 'LATEST_WINS' && one.command.type !== 'undo') {
    const { numUpdatedRows } = await trx
      .updateTable('branch_commands')
      .set({ base_version: null })
      .where('project_id', '=', projectId)
      .where('position', '=', one.position)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows > 0n) await noteConflict(trx, projectId, one, error, 'LATEST_WINS')
    return
  }
  const { until } = await trx
    .selectFrom('branch_commands')
    .select(({ fn }) => fn.min('position').as('until'))
    .where('project_id', '=', projectId)
    .where('memory_id', '=', one.memoryId)
    .where('position', '>', one.position)
    .where('rests_on_previous', '=', false)
    .executeTakeFirstOrThrow()
  // What has left the branch meanwhile is no conflict: its memory was erased, so that its content must be nowhere.
  const resting = await trx
    .deleteFrom('branch_commands')
    .where('project_id', '=', projectId)
    .where('memory_id', '=', one.memoryId)
    .where('position', '>=', one.position)
    .where('position', '<', until ?? Number.MAX_SAFE_INTEGER)
    .where('sequence', 'is', null)
    .returningAll()
    .execute()
  for (const row of resting.toSorted((a, b) => a.position - b.position)) {
    const message =
      row.position === one.position
        ? error.message
        : `rests on a change that is in conflict: ${error.message}`
    await noteConflict(trx, projectId, toBranchCommand(row), { ...error, message }, null)
  }
}
