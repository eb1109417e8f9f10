import * as mutations from '@daybook/api/mutations'
import { safeLine } from '@daybook/memory/safe-text'
import { pause } from '@daybook/runtime/backoff'
import { readProjections } from '../client/operations.ts'
import { request } from '../client/request.ts'
import { CliError, confirm, EXIT } from '../command-line.ts'
import { counted, print, printJson, shellWord } from '../output/print.ts'
import { type Progress, showProgress } from '../progress/show-progress.ts'
import type { Connection } from '../settings.ts'
import { describeState, stepsFor } from './describe-followed.ts'
import { type Followed, findFollowed, settled } from './sync-documents.ts'

/** The options of `daybook sync unfollow`. */
export interface UnfollowOptions {
  readonly dropUnshared?: boolean
  readonly yes?: boolean
}

const UNFOLLOW = mutations.unfollowProject('id dropped')

/**
 * Confirms, then unfollows the project and deletes its local copy.
 * @throws CliError UNSHARED if something has not reached the home, unless that may be dropped
 */
export async function unfollow(
  { dropUnshared = false, yes = false }: UnfollowOptions,
  { connection, json }: { readonly connection: Connection; readonly json: boolean },
): Promise<void> {
  const { project, homeUrl, waiting, openConflicts } = await findFollowed(connection)
  const name = safeLine(project.name)
  const unshared = describeUnshared({ waiting, openConflicts })
  if (unshared !== null && !dropUnshared)
    throw new CliError(
      EXIT.failed,
      'UNSHARED',
      `${unshared} only here, and would be lost: ${safeLine(homeUrl)} does not have them.`,
      [
        `Let them reach the home first:  daybook sync status --project ${shellWord(project.name)}`,
        'If they may be lost:  --drop-unshared',
      ],
    )
  await confirm(
    `Stop following "${name}" and remove its copy from this Daybook? Its home, ${safeLine(homeUrl)}, keeps everything that it has. (For a while: daybook sync pause.)${unshared === null ? '' : ` ${unshared} only here, and will be lost.`}`,
    yes,
  )
  const { id, dropped } = settled(
    (await request({ ...connection, project: null }, UNFOLLOW, { id: project.id, dropUnshared })).result,
  )
  if (json) return printJson({ id, dropped })
  print(`"${name}" is followed no more; its copy here is being removed.`)
  if (dropped > 0) print(`Lost: ${counted(dropped, 'change')} that the home never had.`)
}

function describeUnshared({
  waiting,
  openConflicts,
}: Pick<Followed, 'waiting' | 'openConflicts'>): string | null {
  const parts = [
    ...(waiting > 0 ? [counted(waiting, 'change')] : []),
    ...(openConflicts > 0 ? [`${counted(openConflicts, 'conflict')} without a decision`] : []),
  ]
  return parts.length === 0 ? null : `${parts.join(' and ')} ${waiting + openConflicts === 1 ? 'is' : 'are'}`
}

const POLL_MS = 200

/**
 * Shows how a project is copied until everything is here and, if the key may look there, can be searched by words.
 * @param connection names the project
 * @param mayRead whether the key may use it
 * @returns how it stands then; null if the signal came first, after which the daemon goes on
 * @throws CliError NOT_FOLLOWED if its home refuses, it is paused, or nobody works on it
 */
export async function watchCopying(
  connection: Connection,
  mayRead: boolean,
  signal: AbortSignal,
): Promise<Followed | null> {
  const progress = await showProgress()
  try {
    while (!signal.aborted) {
      const one = await findFollowed(connection)
      if (!['COPYING', 'CONNECTED', 'OFFLINE'].includes(one.state))
        throw new CliError(EXIT.failed, 'NOT_FOLLOWED', describeState(one), stepsFor(one))
      const searchable = mayRead ? await readSearchable(connection) : one.copied
      if (one.state === 'CONNECTED' && one.lagEvents === 0 && searchable >= one.copied) return one
      progress.update(progressOf(one, searchable))
      await pause(POLL_MS, signal)
    }
    return null
  } finally {
    progress.stop()
  }
}

/** The last event that all indexes have. */
async function readSearchable(connection: Connection): Promise<number> {
  const projections = await readProjections(connection)
  return Math.min(...projections.map(({ position }) => position))
}

function progressOf(
  { project, state, problem, copied, homeSequence }: Followed,
  searchable: number,
): Progress {
  const work = `copy of ${safeLine(project.name)}`
  if (state === 'OFFLINE' && problem !== null)
    return { work, phase: 'waiting', done: copied, total: null, waiting: safeLine(problem) }
  if (state === 'CONNECTED') return { work, phase: 'indexing', done: searchable, total: copied }
  return { work, phase: 'copying', done: copied, total: homeSequence > 0 ? homeSequence : null }
}
