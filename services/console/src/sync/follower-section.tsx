import type { Follower } from '../api/sync.ts'
import { Ago } from '../components/ago.tsx'
import { Badge } from '../components/badge.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { formatCount, formatCounted } from '../components/format.ts'
import { pageAddress } from '../components/page-address.ts'

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
export function FollowerSection({
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
