import { useState } from 'preact/hooks'
import { projectIn } from '../api/project.ts'
import { type FollowedProject, listFollowed, listFollowers, listOpenConflicts } from '../api/sync.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { usePolled } from '../components/use-polled.ts'
import { useLocation } from '../router/location.ts'
import type { PageProps } from '../shell/page.ts'
import { ConflictSection } from './conflict-section.tsx'
import { FollowDialog, type FollowForm } from './follow-dialog.tsx'
import { FollowedCard } from './followed-card.tsx'
import { FollowerSection } from './follower-section.tsx'

/** How often to look, in milliseconds. */
const PAUSE_MS = 2_000

/** Which projects have their home elsewhere and how far they are, what is in conflict, and who follows this Daybook. */
export default function SyncPage({ session }: PageProps) {
  const project = projectIn(useLocation().params, session)
  const [following, setFollowing] = useState<FollowForm | null>(null)
  const [said, setSaid] = useState('')
  const { answer, error, again } = usePolled(
    `sync ${project}`,
    async (signal) => {
      const [followed, conflicts, followers] = await Promise.all([
        listFollowed(signal),
        project === null ? [] : listOpenConflicts(signal),
        project === null ? [] : listFollowers(signal),
      ])
      return { followed, conflicts, followers }
    },
    () => PAUSE_MS,
  )
  if (answer === null)
    return error === null ? <p class="loading">Loading …</p> : <ErrorNotice error={error} onRetry={again} />
  const { followed, conflicts, followers } = answer
  const done = (words: string) => {
    setSaid(words)
    again()
  }
  const here = followed.find(({ project: of }) => of.name === project)
  const opens = ({ project: { id } }: FollowedProject) => session.projects.some((one) => one.id === id)
  return (
    <div class="page sync-page">
      <div class="section-head">
        <h1>Sync</h1>
        {session.wholeDaybook && (
          <button type="button" class="primary" onClick={() => setFollowing({})}>
            Follow a project …
          </button>
        )}
      </div>
      {error !== null && <ErrorNotice error={error} onRetry={again} />}
      <p role="status" class="said">
        {said}
      </p>
      {followed.length === 0 ? (
        <p class="muted sync-nothing">
          Every project here has its home here. This Daybook can follow projects of another one: their
          journals are copied, so that reads and searches are local and go on without a network, and what is
          written here goes to the home.
        </p>
      ) : (
        <section class="projections" aria-label="Followed projects">
          {followed.map((one) => (
            <FollowedCard
              key={one.project.id}
              followed={one}
              session={session}
              opens={opens(one)}
              isCurrent={one === here}
              onFollow={setFollowing}
              onDone={done}
              onChange={again}
            />
          ))}
        </section>
      )}
      {project !== null && (here !== undefined || conflicts.length > 0) && (
        <ConflictSection
          project={project}
          conflicts={conflicts}
          count={here?.openConflicts ?? conflicts.length}
          rule={here?.rule ?? null}
          onChange={again}
        />
      )}
      {project !== null && (here === undefined || followers.length > 0) && (
        <FollowerSection project={project} followers={followers} />
      )}
      {following !== null && (
        <FollowDialog given={following} onDone={done} onClose={() => setFollowing(null)} />
      )}
    </div>
  )
}
