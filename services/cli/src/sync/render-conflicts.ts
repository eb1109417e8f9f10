import { graphql, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import { request } from '../client/request.ts'
import { confirm, UsageError } from '../command-line.ts'
import { counted, print, printJson, shorten, spoken } from '../output/print.ts'
import { outputColumns } from '../output/table.ts'
import type { Connection } from '../settings.ts'
import { settled } from './sync-documents.ts'

/** Fields of a change that are shown. */
const SHOWN_FIELDS = 8

/** The most columns of a value, however wide the terminal is. */
const WIDEST_VALUE = 200

/** Conflicts as text, one after the other. */
export const renderConflicts = (conflicts: readonly Conflict[]): string =>
  conflicts.map(renderConflict).join('\n\n')

function renderConflict(one: Conflict): string {
  const { id, memory, command, code, problem, actor, givenAt, baseVersion, homeVersion } = one
  const { type, id: given } = command as { readonly type?: string; readonly id?: string }
  const of =
    memory === null ? safeLine(given ?? 'a memory') : `${safeLine(memory.id)}  ${safeLine(memory.title)}`
  const versions = [
    ...(baseVersion === null ? [] : [`made on version ${baseVersion}`]),
    ...(homeVersion === null ? [] : [`the home had version ${homeVersion}`]),
  ]
  return [
    `${safeLine(id)}`,
    `  ${spoken(type ?? 'change')} of ${of}`,
    ...describeChange(command).map((line) => `    ${line}`),
    `  given ${safeLine(givenAt)}${actor === null ? '' : ` by ${safeLine(actor)}`}${versions.length === 0 ? '' : `; ${versions.join(', ')}`}`,
    `  ${safeLine(problem)} (${safeLine(code)})`,
    `  ${describeResolution(one)}`,
  ].join('\n')
}

/** How it ended, or that it waits. */
function describeResolution({ resolution, resolvedAt, resolvedBy }: Conflict): string {
  const when = resolvedAt === null ? '' : ` ${safeLine(resolvedAt)}`
  const by = resolvedBy === null ? '' : ` by ${safeLine(resolvedBy)}`
  switch (resolution) {
    case null:
      return 'waits for a decision'
    case 'LATEST_WINS':
      return `made on top of the other one, by the rule${when}`
    case 'MINE':
      return `made on top of the other one${by}${when}`
    case 'THEIRS':
      return `left out${by}${when}`
  }
}

/** What was to be done, a line for each field. */
function describeChange(command: unknown): string[] {
  const { type: _, id: __, expectedVersion: ___, input, ...more } = command as Record<string, unknown>
  const fields = [...flatten(input ?? {}), ...flatten(more)]
  const most = Math.min(WIDEST_VALUE, outputColumns() - 4)
  return [
    ...fields
      .slice(0, SHOWN_FIELDS)
      .map(([name, value]) => shorten(`${name}: ${safeLine(textOf(value))}`, most)),
    ...(fields.length > SHOWN_FIELDS ? [`… and ${fields.length - SHOWN_FIELDS} more (--json)`] : []),
  ]
}

const textOf = (value: unknown): string =>
  value === null ? '(emptied)' : typeof value === 'string' ? value : JSON.stringify(value)

/** The fields of nested objects. The two levels of a content, `content.fields`, are named as its fields. */
function flatten(value: unknown): [name: string, value: unknown][] {
  return Object.entries(value as object).flatMap(([name, one]): [string, unknown][] => {
    if (name === 'content' && typeof one === 'object' && one !== null && 'fields' in one)
      return Object.entries((one as { fields: object }).fields)
    return [[safeLine(name), one]]
  })
}

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

const CONFLICT = graphql(`
  fragment Conflict on SyncConflict {
    id memory { id title version } command code problem baseVersion homeVersion actor givenAt foundAt resolution resolvedAt
    resolvedBy
  }`)

/** A change made offline that the home refused, or that was about another version. */
type Conflict = Omit<ResultOf<typeof CONFLICT>, '__typename'>

const CONFLICTS = queries.syncConflicts('...Conflict', [CONFLICT])

/** Which conflicts are listed. */
interface ConflictPage {
  /** At most so many, from 1 to 100. */
  readonly first: number
  /** The id of the last one of the page before. */
  readonly after?: string | undefined
  /** Also those that are resolved. */
  readonly resolved?: boolean
}

/** Conflicts of the connection's project, the oldest first. */
export async function readConflicts(
  connection: Connection,
  page: ConflictPage,
): Promise<readonly Conflict[]> {
  return (await request(connection, CONFLICTS, page)).syncConflicts
}

const RESOLVE = mutations.resolveSyncConflict('...Conflict', [CONFLICT])

/** Has the change made on top of the other one (`MINE`), or leaves it out. @throws RefusedError NOT_FOUND */
async function resolveConflict(
  connection: Connection,
  id: string,
  resolution: 'MINE' | 'THEIRS',
): Promise<Conflict> {
  const { __typename: _, ...conflict } = settled(
    (await request(connection, RESOLVE, { id, resolution })).result,
  )
  return conflict
}
