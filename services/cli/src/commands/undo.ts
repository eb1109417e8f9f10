import * as mutations from '@daybook/api/mutations'
import { PLAN_UNDO, type UndoAsked, type UndoPlan } from '@daybook/client/documents/writes'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import type { Command } from 'commander'
import { OPERATION, type Operation, readOperation } from '../client/operations.ts'
import { request, succeeded } from '../client/request.ts'
import { addExamples, addNotes, collect, invocation, sinceMoment } from '../command.ts'
import { confirm, UsageError } from '../command-line.ts'
import { OPERATION_HELP, watchOperations } from '../operations/run-operations.ts'
import { print, printJson, shorten } from '../output/print.ts'
import { table } from '../output/table.ts'
import { addFilterOptions, filterFrom } from '../search/find-memories.ts'
import type { Connection } from '../settings.ts'

/** Adds the options and action of `daybook undo`. */
export function configureUndo(command: Command): void {
  command.option(
    '--since <time>',
    'from when on: 30m, 2h, 7d ago, or a date or time (needed without --operation)',
    sinceMoment,
  )
  addFilterOptions(command)
    .option('--actor <key>', 'only what was written with the API key of this name')
    .option('--key <id>', 'only what was written with this API key; may be repeated', collect)
    .option('--correlation-id <id>', 'only what requests with this x-correlation-id wrote: one session')
    .option('--operation <id>', 'what this undo did: takes it back')
    .option('--everything', 'all that happened since; needed if nothing else says what')
    .option('--dry-run', 'only show what would be done')
    .option('--yes', 'do not ask')
    .option('--detach', 'do not wait for the end')
    .action((options: UndoOptions, self: Command) => undo(options, self))
  addExamples(command, [
    'daybook undo --context shop --since 1h',
    'daybook undo --agent planner --since 2026-11-21T09:30:00Z --dry-run',
    'daybook undo --operation 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
  ])
  addNotes(
    command,
    `
What was remembered since is forgotten; what was revised, forgotten or restored goes back to the version before. A memory
that somebody else has changed since stays as it is, and is named. First it shows what would be done, and asks. Nothing is
lost: an undo writes events, and can be undone. With --json and without --yes it only shows what would be done.
${OPERATION_HELP}`,
  )
}

interface UndoOptions extends UndoChoices {
  readonly since?: string
  readonly actor?: string
  readonly key?: readonly string[]
  readonly correlationId?: string
  readonly operation?: string
  readonly everything?: boolean
}

async function undo(options: UndoOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { actor, operation, key } = options
  const of = operation === undefined ? null : await readOperation(connection, operation)
  const since = options.since ?? of?.createdAt
  if (since === undefined)
    throw new UsageError('Since when?', ['daybook undo --context shop --since 1h', 'or --operation <id>'])
  const asked: UndoAsked = {
    filter: await filterFrom(command),
    since,
    actor,
    correlationId: operation ?? options.correlationId,
    writer: key === undefined ? undefined : { keyIds: [...key] },
    everything: options.everything === true,
  }
  await runUndo(asked, options, { connection, json })
}

/** Columns of a title. */
const TITLE = 40

/** Rows shown of each list; `--json` has 1,000. */
const ROWS = 50

/** What would be done, as tables: the memories that change, and those that are refused. */
function renderPlan({ changed, refused, changes, refusals }: UndoPlan): string {
  if (changed + refused === 0) return 'Nothing to undo: nothing of that has happened since.'
  const lines: string[] = []
  if (changed > 0) {
    const rows = changes
      .slice(0, ROWS)
      .map(({ memoryId, title, action, happened, toVersion }) => [
        action === 'FORGET' ? 'forget' : `back to version ${toVersion}`,
        shorten(safeLine(title ?? ''), TITLE),
        inWords(happened),
        safeLine(memoryId),
      ])
    lines.push(table(['undo', 'memory', 'what happened', 'id'], rows), ...more(changed - rows.length))
  }
  if (refused > 0) {
    const rows = refusals
      .slice(0, ROWS)
      .map(({ memoryId, title, reason }) => [
        shorten(safeLine(title ?? '(erased)'), TITLE),
        safeLine(reason ?? ''),
        safeLine(memoryId),
      ])
    lines.push('', `Stays as it is (${grouped(refused)}):`, table(['memory', 'why', 'id'], rows))
    lines.push(...more(refused - rows.length))
  }
  return [...lines, '', `Memories that change: ${grouped(changed)}; refused: ${grouped(refused)}.`]
    .join('\n')
    .trim()
}

const more = (left: number) => (left > 0 ? [`… and ${grouped(left)} more`] : [])

/** `MemoryRevised` twice becomes `revised 2 times`. */
function inWords(happened: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const type of happened) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts]
    .map(([type, count]) => {
      const word = safeLine(type.replace(/^Memory/u, '').toLowerCase())
      return count === 1 ? word : `${word} ${grouped(count)} times`
    })
    .join(', ')
}

/** How an undo is run. */
export interface UndoChoices {
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly detach?: boolean
}

/** Shows what an undo would do, asks, does it and shows its progress. @throws what `request` throws */
export async function runUndo(
  asked: UndoAsked,
  { dryRun = false, yes = false, detach = false }: UndoChoices,
  { connection, json }: { readonly connection: Connection; readonly json: boolean },
): Promise<void> {
  const plan = await planUndo(connection, asked)
  const onlyShow = dryRun || (json && !yes)
  if (json && onlyShow) return printJson({ plan })
  if (!json) print(renderPlan(plan))
  if (onlyShow || plan.changed === 0) return json ? printJson({ plan }) : undefined
  await confirm(`Undo this, in ${plan.changed} ${plan.changed === 1 ? 'memory' : 'memories'}?`, yes)
  await watchOperations([await startUndo(connection, asked)], { connection, json, detach })
}

const START = mutations.undo('operation { ...Operation }', [OPERATION])

/** Asks what an undo would do. @throws RefusedError, UnreachableError, UnauthorisedError */
async function planUndo(connection: Connection, asked: UndoAsked): Promise<UndoPlan> {
  return succeeded((await request(connection, PLAN_UNDO, { ...asked, dryRun: true })).result)
}

/** Asks for an undo. @throws RefusedError, UnreachableError, UnauthorisedError */
async function startUndo(connection: Connection, asked: UndoAsked): Promise<Operation> {
  const { operation } = succeeded((await request(connection, START, { ...asked, dryRun: false })).result)
  if (operation === null) throw new Error('the daemon only planned the undo')
  return operation
}
