import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/size-in-words'
import type { Projection } from '../client/projections.ts'
import type { SystemPart } from '../client/system.ts'
import { operationProgress } from '../operations/operation-progress.ts'
import { size } from '../output/size.ts'
import { spoken } from '../output/spoken.ts'
import { table } from '../output/table.ts'
import { progressLine } from '../progress/render-progress.ts'
import { generationsTable } from '../reindex/generations-table.ts'
import { summarizeFollowed } from '../sync/summarize-followed.ts'
import type { Status } from './read-status.ts'

/** The status as text. @param now milliseconds since 1970 */
export function renderStatus(status: Status, now: number): string {
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
  const others = generations.filter(({ status, lag, parked }) => status === 'LIVE' && (lag > 0 || parked > 0))
  const away = system?.parts.some(({ configured, reachable }) => configured && !reachable) ?? false
  if (away || (system?.failedTexts ?? 0) > 0 || (steps.length === 0 && others.length > 0))
    steps.push('What to do about it:  daybook doctor')
  if (projections.every(({ head }) => head === 0) && (system?.events ?? 0) === 0)
    return [...steps, 'Nothing is remembered yet. Try:  daybook remember note "my first memory"']
  return steps.length > 0 ? steps : ['Everything that was written can be searched.']
}
