import type { ApiKey } from '../api/keys.ts'
import type { Quarantine } from '../api/quarantines.ts'
import { Ago } from '../components/ago.tsx'
import { Badge } from '../components/badge.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { formatCount } from '../components/format.ts'
import { Act } from './act.tsx'
import { TrustChoice } from './trust-choice.tsx'

/** What is done with a key, in a dialog. */
export type KeyAction = 'rotate' | 'quarantine' | 'revoke'

/** Keys, with what they may do and what can be done with them. */
export function KeyTable({
  keys,
  quarantines,
  onChange,
  onAct,
}: {
  readonly keys: readonly ApiKey[]
  readonly quarantines: readonly Quarantine[]
  onChange(): void
  onAct(action: KeyAction, key: ApiKey): void
}) {
  const withheld = new Set(
    quarantines.filter(({ releasedAt }) => releasedAt === null).flatMap(({ keyIds }) => keyIds),
  )
  const columns: readonly Column<ApiKey>[] = [
    {
      name: 'Name',
      cell: ({ id, name, prefix, isOwn }) => (
        <>
          <strong>{name}</strong> {isOwn && <span class="tag">this session</span>}{' '}
          {withheld.has(id) && <Badge tone="warning">in quarantine</Badge>}
          {prefix !== null && <code class="small muted block">{prefix}…</code>}
        </>
      ),
    },
    {
      name: 'May',
      cell: ({ scopes, wholeDaybook }) =>
        `${scopes.map((scope) => scope.toLowerCase()).join(', ')}${wholeDaybook ? ' of all' : ''}`,
    },
    { name: 'Projects', cell: projectsOf },
    {
      name: 'Trust',
      cell: (key) => (key.isValid ? <TrustChoice of={key} onChange={onChange} /> : key.trust.toLowerCase()),
    },
    {
      name: 'Last used',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Ago moment={lastUsedAt} />),
    },
    { name: 'Ends', cell: (key) => <Ending of={key} /> },
    {
      name: 'What to do',
      quiet: true,
      cell: (key) =>
        key.isValid && (
          <div class="actions">
            {key.replacedBy === null && <Act of={key} word="Rotate" onAct={() => onAct('rotate', key)} />}
            {!key.isOwn && !withheld.has(key.id) && (
              <Act of={key} word="Quarantine" onAct={() => onAct('quarantine', key)} />
            )}
            <Act of={key} word="Revoke" dangerous onAct={() => onAct('revoke', key)} />
          </div>
        ),
    },
  ]
  return <DataTable label="Keys" columns={columns} rows={keys} keyOf={({ id }) => id} />
}

/** The projects that are named; the others are a number. */
const NAMED = 3

function projectsOf({ allProjects, projects }: ApiKey): string {
  if (allProjects) return 'all'
  const names = projects.map(({ name }) => name)
  return names.length <= NAMED
    ? names.join(', ') || 'none'
    : `${names.slice(0, NAMED).join(', ')} and ${formatCount(names.length - NAMED)} more`
}

function Ending({ of: { isValid, revokedAt, expiresAt, replacedBy } }: { readonly of: ApiKey }) {
  if (revokedAt !== null)
    return (
      <>
        revoked <Ago moment={revokedAt} />
      </>
    )
  if (expiresAt === null) return <>never</>
  return (
    <>
      {!isValid && 'expired '}
      <Ago moment={expiresAt} />
      {replacedBy !== null && ', rotated'}
    </>
  )
}
