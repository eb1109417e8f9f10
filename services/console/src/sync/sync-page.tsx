import { useState } from 'preact/hooks'
import { projectIn } from '../api/project.ts'
import {
  type FollowedProject,
  type Follower,
  listFollowed,
  listFollowers,
  listOpenConflicts,
} from '../api/sync.ts'
import { Ago } from '../components/ago.tsx'
import { Badge } from '../components/badge.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { formatCount, formatCounted, pageAddress } from '../components/format.ts'
import { usePolled } from '../components/hooks.ts'
import { useLocation } from '../router/location.ts'
import type { PageProps } from '../shell/page.ts'
import { ConflictSection } from './conflict-section.tsx'
import { FollowDialog, FollowedCard, type FollowForm } from './followed-card.tsx'

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

/** A follower is noted every 5 s while it is connected; after so many milliseconds without a note it is away. */
const AWAY_MS = 15_000

const COLUMNS: readonly Column<Follower>[] = [
  {
    name: 'Daybook',
    cell: ({ name, seenAt }) => (
      <span class="follower-name">
        <strong>{name}</strong>{' '}
        {isHere(seenAt) ? <Badge tone="good">connected</Badge> : <Badge tone="neutral">away</Badge>}
      </span>
    ),
  },
  { name: 'Last seen', cell: ({ seenAt }) => <Ago moment={seenAt} /> },
  { name: 'Has up to', numeric: true, cell: ({ sequence }) => formatCount(sequence) },
  {
    name: 'Behind',
    numeric: true,
    // How far one is that is connected is noted every 5 s only: events of the last moment are no sign of trouble.
    cell: ({ lagEvents, seenAt }) => (
      <span class={lagEvents === 0 || isHere(seenAt) ? undefined : 'wrong'}>
        {formatCounted(lagEvents, 'event')}
      </span>
    ),
  },
  {
    name: 'Key',
    cell: ({ keyName, keyId }) => keyName ?? <code>{keyId}</code>,
  },
]

const isHere = (seenAt: string): boolean => Date.now() - Date.parse(seenAt) < AWAY_MS

/** Who follows the project that the page is about. */
function FollowerSection({
  project,
  followers,
}: {
  readonly project: string
  readonly followers: readonly Follower[]
}) {
  return (
    <section class="card stack" aria-labelledby="followers">
      <h2 id="followers">Followers of {project}</h2>
      {followers.length === 0 ? (
        <p class="muted">
          No other Daybook follows {project} here. For one that is to, make a key with the scopes READ, WRITE
          and FOLLOW under <a href={pageAddress('/console/keys')}>Keys and projects</a>.
        </p>
      ) : (
        <>
          <p class="small muted">
            How a Daybook calls itself is its own word; only its key is proven. Revoke the key, and it follows
            no more.
          </p>
          <DataTable label="Followers" columns={COLUMNS} rows={followers} keyOf={({ id }) => id} />
        </>
      )}
    </section>
  )
}
