import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import { pause } from '@daybook/runtime/backoff'
import { type Command, InvalidArgumentError } from 'commander'
import {
  type Generation,
  type Operation,
  type Projection,
  readProjections,
  readSystem,
  type SystemPart,
  type SystemState,
} from '../client/operations.ts'
import { readHealth, readReadiness } from '../client/request.ts'
import { addExamples, addNotes, globalOptions } from '../command.ts'
import { CliError, EXIT } from '../command-line.ts'
import { operationProgress } from '../operations/render-ended.ts'
import { renderError } from '../output/error.ts'
import { print, printJson, printRaw, size, spoken, toJson } from '../output/print.ts'
import { columnsOf, table, wrap } from '../output/table.ts'
import { progressLine } from '../progress/show-progress.ts'
import { addressFrom, connectionFrom, type Environment, type GlobalOptions, placeFrom } from '../settings.ts'
import { summarizeFollowed } from '../sync/describe-followed.ts'
import { type Followed, readFollowedIfAllowed } from '../sync/sync-documents.ts'
import { generationsTable } from './reindex.ts'

const DEFAULT_SECONDS = 2

/** Adds the arguments, options and action of `daybook status`. */
export function configureStatus(command: Command): void {
  command
    .option('--watch [seconds]', `show it again every so many seconds (default ${DEFAULT_SECONDS})`, seconds)
    .action((options: { watch?: number | true }, self: Command) => showStatus(options.watch, self))
  addExamples(command, ['daybook status', 'daybook status --watch 5', 'daybook status --json'])
  addNotes(
    command,
    '\nEnds with 0 where the daemon is ready, even while an index catches up; 1 where it answers but is not ready; 3 where\nit does not answer. A key that may run the whole Daybook sees all projects, generations and sizes besides.',
  )
}

function seconds(value: string): number {
  const number = Number(value)
  if (!(number >= 0.2 && number <= 3_600)) throw new InvalidArgumentError('It must be from 0.2 to 3600.')
  return number
}

async function showStatus(watch: number | true | undefined, command: Command): Promise<void> {
  const options = globalOptions(command)
  if (watch !== undefined) return watchStatus(options, process.env, watch === true ? DEFAULT_SECONDS : watch)
  try {
    const found = await readStatus(options, process.env)
    if (!found.ready) process.exitCode = EXIT.failed
    if (options.json === true) printJson(found)
    else print(renderStatus(found, Date.now()))
  } catch (error) {
    const away = options.json === true ? statusUnreachable(options, process.env, error) : null
    if (away !== null) printJson(away)
    throw error
  }
}

/** What `daybook status` shows. */
interface Status {
  readonly reachable: boolean
  /** Null if none is given and the daemon of the data folder does not run. */
  readonly url: string | null
  readonly version: string | null
  readonly ready: boolean
  readonly problems: readonly string[]
  /** The projections' progress with the key's own project. */
  readonly projections: readonly Projection[]
  /** The state over all projects; null if the key may not see it, or the daemon is not ready. */
  readonly system: SystemState['system'] | null
  readonly generations: readonly Generation[]
  /** The operations under way. */
  readonly operations: readonly Operation[]
  /** The projects that have their home elsewhere, as far as the key administers them. */
  readonly followed: readonly Followed[]
}

const NOTHING = { projections: [], system: null, generations: [], operations: [], followed: [] } as const

/**
 * Reads the status.
 * @throws UnreachableError (`statusUnreachable` turns it into a status), UnauthorisedError
 */
async function readStatus(options: GlobalOptions, environment: Environment): Promise<Status> {
  const place = placeFrom(options, environment)
  const [{ version }, { ready, problems }] = await Promise.all([readHealth(place), readReadiness(place)])
  const found = { reachable: true, url: place.url, version, ready, problems }
  if (!ready) return { ...found, ...NOTHING }
  const connection = connectionFrom(options, environment)
  const [projections, state, followed] = await Promise.all([
    readProjections(connection),
    readSystem(connection),
    readFollowedIfAllowed(connection),
  ])
  return { ...found, ...NOTHING, projections, ...state, followed }
}

/** The status of a daemon that does not answer; null for any other error. */
function statusUnreachable(options: GlobalOptions, environment: Environment, error: unknown): Status | null {
  if (!(error instanceof CliError) || error.exitCode !== EXIT.unreachable) return null
  const url = addressFrom(options, environment)
  return { reachable: false, url, version: null, ready: false, problems: [error.message], ...NOTHING }
}

/** The status as text. @param now milliseconds since 1970 */
function renderStatus(status: Status, now: number): string {
  const { url, version, ready, problems, projections } = status
  const named = version === null ? 'Daybook' : `Daybook ${safeLine(version)}`
  if (!ready)
    return [
      `${named} answers at ${url}, but is not ready:`,
      ...problems.map((problem) => `  ${safeLine(problem)}`),
      '',
      'It may still be starting: try again in some seconds. The daemon’s own output says more.',
    ].join('\n')
  return [
    `${named} is ready at ${url}`,
    '',
    projectionsTable(projections),
    '',
    ...renderSync(status),
    ...renderSystem(status, now),
    ...nextSteps(status),
  ].join('\n')
}

function projectionsTable(projections: readonly Projection[]): string {
  const header = ['projection', 'position', 'head', 'lag', 'pending', 'parked', 'generation', 'status']
  const rows = projections.map((one) => [
    safeLine(one.name),
    one.position,
    one.head,
    one.lag,
    one.pendingEmbeddings,
    one.parked,
    one.generation,
    safeLine(one.status),
  ])
  return table(header, rows)
}

/** The part that only a key for the whole Daybook may see. */
function renderSystem({ system, generations, operations }: Status, now: number): string[] {
  if (system === null) return []
  const { projects, events, memories, databaseBytes, queuedTexts, failedTexts, parts } = system
  return [
    `All projects (${grouped(projects)}): ${grouped(events)} events, ${grouped(memories)} memories to be found; the database takes ${size(databaseBytes)}`,
    `Vectors: ${grouped(queuedTexts)} texts wait${failedTexts > 0 ? `, ${grouped(failedTexts)} of them failed` : ''}`,
    `Parts: ${parts.map(describePart).join(' · ')}`,
    '',
    generationsTable(generations, now),
    '',
    ...operations.map(
      (one) => `${progressLine(operationProgress(one), null)}${one.status === 'QUEUED' ? ' (queued)' : ''}`,
    ),
    ...(operations.length > 0 ? [''] : []),
  ]
}

function describePart({ name, configured, reachable, version, problem }: SystemPart): string {
  const named = version === null ? spoken(name) : `${spoken(name)} ${safeLine(version)}`
  if (!configured) return `${named} not configured`
  return reachable ? named : `${named} AWAY (${safeLine(problem ?? 'it does not answer')})`
}

/** One line, where anything is followed. */
function renderSync({ followed }: Status): string[] {
  const summary = summarizeFollowed(followed)
  if (summary === null) return []
  const well = followed.every(({ state, openConflicts }) => state === 'CONNECTED' && openConflicts === 0)
  return [well ? summary : `${summary}  daybook sync status`, '']
}

/** What the numbers mean, and what to do about them. */
function nextSteps({ projections, system, generations }: Status): string[] {
  const steps = projections.flatMap(({ name, lag, pendingEmbeddings, parked, status: state }) => [
    ...(state === 'diverged'
      ? [
          `${safeLine(name)} has applied events that the journal has lost. It goes back to the last event that both have, by itself; find out what the database lost:  daybook doctor`,
        ]
      : []),
    ...(state === 'live' || state === 'diverged'
      ? []
      : [`${safeLine(name)} is ${safeLine(state)}: the daemon’s log says why.`]),
    ...(lag > 0
      ? [
          `${safeLine(name)} still has to apply ${grouped(lag)} of the journal’s events; searches find them then.`,
        ]
      : []),
    ...(pendingEmbeddings > 0
      ? [
          `Memories without vectors yet: ${grouped(pendingEmbeddings)}. They are found by words; by meaning soon, unless DAYBOOK_EMBEDDER is none.`,
        ]
      : []),
    ...(parked > 0
      ? [`Events that could not be applied: ${grouped(parked)}. Why:  daybook parked list`]
      : []),
  ])
  // Generations of other projects, which the lines above do not cover.
  const others = generations.filter((one) => one.status === 'LIVE' && (one.lag > 0 || one.parked > 0))
  const away = system?.parts.some(({ configured, reachable }) => configured && !reachable) ?? false
  if (away || (system?.failedTexts ?? 0) > 0 || (steps.length === 0 && others.length > 0))
    steps.push('What to do about it:  daybook doctor')
  if (projections.every(({ head }) => head === 0) && (system?.events ?? 0) === 0)
    return [...steps, 'Nothing is remembered yet. Try:  daybook remember note "my first memory"']
  return steps.length > 0 ? steps : ['Everything that was written can be searched.']
}

/** Moves the cursor to the upper left corner and clears the screen below it. */
const HOME = '\u001B[H\u001B[J'

/**
 * Shows the status repeatedly until Ctrl-C, even while the daemon is unavailable. With JSON, one object per
 * line.
 */
async function watchStatus(
  options: GlobalOptions,
  environment: Environment,
  everySeconds: number,
): Promise<void> {
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  const redraws = process.stdout.isTTY === true && options.json !== true
  while (!ending.signal.aborted) {
    const text = await look(options, environment)
    if (redraws)
      process.stdout.write(
        `${HOME}${wrap(text, columnsOf(process.stdout))}\n\n${new Date().toISOString()}, every ${everySeconds} s; Ctrl-C ends\n`,
      )
    else if (options.json === true) printRaw(text)
    else print(`${text}\n`)
    await pause(everySeconds * 1_000, ending.signal)
  }
}

/** @throws UnauthorisedError, and other errors that do not go away by themselves */
async function look(options: GlobalOptions, environment: Environment): Promise<string> {
  const show = (status: Status) => (options.json === true ? toJson(status) : renderStatus(status, Date.now()))
  try {
    return show(await readStatus(options, environment))
  } catch (error) {
    const away = statusUnreachable(options, environment, error)
    if (away === null) throw error
    return options.json === true ? toJson(away) : renderError(error, false).text
  }
}
