import { UsageError } from '../cli-error.ts'
import { confirm } from '../confirm.ts'
import { counted } from '../output/counted.ts'
import { print, printJson } from '../output/print.ts'
import type { Connection } from '../settings.ts'
import { type Conflict, readConflicts, resolveConflict } from './conflict-documents.ts'
import { describeResolution } from './render-conflicts.ts'

/** The options of `daybook sync resolve`. */
export interface ResolveOptions {
  readonly mine?: boolean
  readonly theirs?: boolean
  readonly all?: boolean
  readonly yes?: boolean
}

/** Conflicts read at a time. */
const PAGE = 100

/** Decides one conflict, or all that wait, the oldest first. @throws UsageError */
export async function resolveConflicts(
  id: string | undefined,
  { mine = false, theirs = false, all = false, yes = false }: ResolveOptions,
  { connection, json }: { readonly connection: Connection; readonly json: boolean },
): Promise<void> {
  if (mine === theirs)
    throw new UsageError('Say --mine or --theirs: whether the change made offline is to be made')
  if ((id === undefined) !== all)
    throw new UsageError('Say which conflict, or --all', ['See them:  daybook sync conflicts'])
  const resolution = mine ? 'MINE' : 'THEIRS'
  if (id !== undefined) {
    const resolved = await resolveConflict(connection, id, resolution)
    if (json) return printJson({ conflicts: [resolved] })
    return print(`The change is ${describeResolution(resolved)}.`)
  }
  const waiting = await readAll(connection)
  if (waiting.length > 0)
    await confirm(
      mine
        ? `Have ${counted(waiting.length, 'change')} made on top of what the home has by now?`
        : `Leave ${counted(waiting.length, 'change')} out? What the home has stays.`,
      yes || json,
    )
  const resolved: Conflict[] = []
  for (const one of waiting) resolved.push(await resolveConflict(connection, one.id, resolution))
  if (json) return printJson({ conflicts: resolved })
  if (resolved.length === 0) return print('No conflict waits for a decision.')
  print(
    `${counted(resolved.length, 'conflict')} resolved: ${mine ? 'the changes are made on top' : 'the changes are left out'}.`,
  )
}

async function readAll(connection: Connection): Promise<readonly Conflict[]> {
  const found: Conflict[] = []
  for (;;) {
    const page = await readConflicts(connection, { first: PAGE, after: found.at(-1)?.id })
    found.push(...page)
    if (page.length < PAGE) return found
  }
}
