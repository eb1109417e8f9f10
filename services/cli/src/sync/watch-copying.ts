import { safeLine } from '@daybook/memory/safe-text'
import { pause } from '@daybook/runtime/backoff'
import { CliError } from '../cli-error.ts'
import { readProjections } from '../client/projections.ts'
import { EXIT } from '../exit-codes.ts'
import type { Progress } from '../progress/render-progress.ts'
import { showProgress } from '../progress/show-progress.ts'
import type { Connection } from '../settings.ts'
import { describeState, stepsFor } from './describe-followed.ts'
import { type Followed, findFollowed } from './sync-documents.ts'

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
