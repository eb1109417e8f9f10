import { safeLine } from '@daybook/memory/safe-text'
import { readProjects } from '@daybook/postgres/access/projects'
import { type FormerHome, listFormerHomes } from '@daybook/sync/follower/followed-projects'
import { type FollowedStatus, listStatus } from '@daybook/sync/follower/status'
import { type CheckedParts, type Finding, failed, ok, warning, worst } from './check.ts'

/** A home may be away for so long before what waits for it is worth a warning, in milliseconds. */
const LONG_MS = 3_600_000

/** Checks how followed projects stand, and that former homes know that they are none; null if there is neither. */
export async function checkSync({ db }: CheckedParts): Promise<Finding | null> {
  const [followed, former] = [await listStatus(db, null), await listFormerHomes(db)]
  if (followed.length + former.length === 0) return null
  const ids = [...followed, ...former].map(({ projectId }) => projectId)
  const names = new Map((await readProjects(db, ids)).map(({ id, name }) => [id, name]))
  const nameOf = ({ projectId }: { readonly projectId: string }) => names.get(projectId) ?? projectId
  return worst(
    [
      ...followed.flatMap((one) => judgeFollowed(nameOf(one), one, Date.now())),
      ...former.map((one) => judgeFormerHome(nameOf(one), one)),
    ],
    ok(
      `${followed.length} ${followed.length === 1 ? 'project is followed and stands' : 'projects are followed and stand'} well`,
    ),
  )
}

/** Judges how a followed project stands. @param now milliseconds since 1970 */
export function judgeFollowed(
  name: string,
  {
    shown,
    home,
    problem,
    movedTo,
    waiting,
    waitingSince,
    openConflicts,
  }: Pick<
    FollowedStatus,
    'shown' | 'home' | 'problem' | 'movedTo' | 'waiting' | 'waitingSince' | 'openConflicts'
  >,
  now: number,
): readonly Finding[] {
  const of = `--project ${safeLine(name)}`
  const why = problem === null ? '' : `: ${problem}`
  const waitsLong = waitingSince !== null && now - Date.parse(waitingSince) > LONG_MS
  const waits = `${waiting} changes of "${name}" wait for its home, the oldest since ${waitingSince}`
  return [
    ...(shown === 'REFUSED'
      ? [
          failed(
            `The home of "${name}", ${home.url}, refuses this Daybook, so nothing can be written to it${why}`,
            `Give it a key that is valid there:  daybook sync repoint ${home.url} ${of}`,
          ),
        ]
      : []),
    ...(shown === 'MOVED'
      ? [
          warning(
            `"${name}" has its home elsewhere now, at ${movedTo}: the former home, ${home.url}, passes everything on, as long as it is there`,
            `Follow it there, with a key of the new home:  daybook sync repoint ${movedTo} ${of}`,
          ),
        ]
      : []),
    ...(shown === 'STOPPED'
      ? [
          failed(
            `No process follows "${name}"`,
            'Start the daemon, or on a cluster the sync service (npm run start:sync), or look at its log',
          ),
        ]
      : []),
    ...(shown === 'OFFLINE' && waitsLong
      ? [
          warning(
            `${waits}, which does not answer${why}`,
            `Look at ${home.url}. Is it lost for good?  daybook sync promote --lost ${of}`,
          ),
        ]
      : []),
    ...(shown === 'PAUSED' && problem !== null
      ? [
          failed(
            `"${name}" is paused, and a person has to look at it${why}`,
            `How it stands:  daybook sync status ${of}`,
          ),
        ]
      : []),
    ...(shown === 'PAUSED' && waitsLong
      ? [warning(`${waits}, because it is paused`, `Go on:  daybook sync resume ${of}`)]
      : []),
    ...((shown === 'CONNECTED' || shown === 'COPYING') && waitsLong
      ? [
          warning(
            `${waits}, which is connected and does not take them`,
            'The log of this daemon, or of the sync service, says why: the home may be full, or the key may not write',
          ),
        ]
      : []),
    ...(openConflicts > 0
      ? [
          warning(
            `${openConflicts} conflicts of "${name}" wait for a decision`,
            `Decide them:  daybook sync conflicts ${of}`,
          ),
        ]
      : []),
  ]
}

/** Judges that a former home has not been told yet. */
export const judgeFormerHome = (
  name: string,
  { url, problem }: Pick<FormerHome, 'url' | 'problem'>,
): Finding =>
  warning(
    `${url} does not know yet that it is not the home of "${name}" any more${problem === null ? '' : `: ${problem}`}`,
    'Nobody may write there. When it answers again, it is told by itself; if it never comes back, this stays and does no harm',
  )
