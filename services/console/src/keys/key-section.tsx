import { useState } from 'preact/hooks'
import {
  type ApiKey,
  type MadeKey,
  type Quarantine,
  revokeKey,
  setKeyTrust,
  type TrustLevel,
} from '../api/keys.ts'
import type { Project } from '../api/projects.ts'
import type { Session } from '../api/session.ts'
import { Ago, formatAgo } from '../components/ago.tsx'
import { Badge, Chip } from '../components/badge.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { FormDialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { formatCount } from '../components/format.ts'
import { CreateKey, RotateKey, ShownKey } from './new-key.tsx'
import { BeginQuarantine } from './quarantine-section.tsx'
import { TRUST_LEVELS } from './trust-levels.ts'

type OpenDialog = { readonly dialog: 'create' } | { readonly dialog: KeyAction; readonly of: ApiKey }

/** From how many keys on they can be filtered by name. */
const MANY = 10

/** The keys that the session's key administers. */
export function KeySection({
  keys,
  projects,
  quarantines,
  session,
  project,
  onChange,
}: {
  readonly keys: readonly ApiKey[]
  readonly projects: readonly Project[]
  readonly quarantines: readonly Quarantine[]
  readonly session: Session
  readonly project: string | null
  onChange(): void
}) {
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const [made, setMade] = useState<MadeKey | null>(null)
  const [withEnded, setWithEnded] = useState(false)
  const [named, setNamed] = useState('')
  const ended = keys.filter(({ isValid }) => !isValid)
  const shown = keys.filter(
    ({ name, isValid }) => (isValid || withEnded) && name.toLowerCase().includes(named.toLowerCase()),
  )
  const close = () => setOpen(null)
  const show = (key: MadeKey) => {
    setMade(key)
    onChange()
  }
  return (
    <section class="card stack" aria-labelledby="keys">
      <div class="section-head">
        <h2 id="keys">Keys</h2>
        <div class="actions">
          {keys.length > MANY && (
            <input
              type="search"
              aria-label="Filter the keys by name"
              placeholder="Filter by name"
              value={named}
              onInput={(event) => setNamed(event.currentTarget.value)}
            />
          )}
          {ended.length > 0 && (
            <Chip
              name="Ended"
              count={ended.length}
              on={withEnded}
              onToggle={() => setWithEnded(!withEnded)}
            />
          )}
          <button type="button" class="primary" onClick={() => setOpen({ dialog: 'create' })}>
            Create a key …
          </button>
        </div>
      </div>
      {shown.length === 0 ? (
        <p class="muted">No key has that name.</p>
      ) : (
        <KeyTable
          keys={shown}
          quarantines={quarantines}
          onChange={onChange}
          onAct={(dialog, of) => setOpen({ dialog, of })}
        />
      )}
      {open?.dialog === 'create' && (
        <CreateKey
          projects={projects}
          current={project}
          wholeDaybook={session.wholeDaybook}
          onMade={show}
          onClose={close}
        />
      )}
      {open?.dialog === 'rotate' && <RotateKey of={open.of} onMade={show} onClose={close} />}
      {open?.dialog === 'revoke' && <RevokeKey of={open.of} onDone={onChange} onClose={close} />}
      {open?.dialog === 'quarantine' && (
        <BeginQuarantine
          of={open.of}
          wholeDaybook={session.wholeDaybook}
          project={project}
          onDone={onChange}
          onClose={close}
        />
      )}
      {made !== null && <ShownKey made={made} onClose={() => setMade(null)} />}
    </section>
  )
}

/** A button in a row of a table. It says what it is about to those who do not see the row. */
export function Act({
  of: { name },
  word,
  dangerous = false,
  onAct,
}: {
  readonly of: { readonly name: string }
  readonly word: string
  readonly dangerous?: boolean
  onAct(): void
}) {
  return (
    <button type="button" class={dangerous ? 'danger' : undefined} onClick={onAct}>
      {word}
      <span class="visually-hidden"> {name}</span> …
    </button>
  )
}

/** What is done with a key, in a dialog. */
type KeyAction = 'rotate' | 'quarantine' | 'revoke'

/** Keys, with what they may do and what can be done with them. */
function KeyTable({
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

/** Asks whether a key is to end, and ends it. */
function RevokeKey({
  of: { id, name, prefix, isOwn, lastUsedAt },
  onDone,
  onClose,
}: {
  readonly of: ApiKey
  onDone(): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Revoke the key of ${name}?`}
      action="Revoke"
      dangerous
      onSubmit={async () => {
        await revokeKey(id)
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        {prefix !== null && <code>{prefix}…</code>} ends for good, within seconds everywhere. Whoever uses it
        can do nothing any more. What was written with it stays.
      </p>
      <p>
        {lastUsedAt === null
          ? 'It was never used.'
          : `It was last used ${formatAgo(lastUsedAt, Date.now())}.`}
      </p>
      {isOwn && (
        <p class="wrong">
          <strong>This session was opened with it, and ends too.</strong>
        </p>
      )}
    </FormDialog>
  )
}

/** Says how far a key is trusted: at once, for all that it ever wrote. */
function TrustChoice({ of: { id, name, trust }, onChange }: { readonly of: ApiKey; onChange(): void }) {
  const [failure, setFailure] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const choose = async (level: TrustLevel) => {
    setBusy(true)
    setFailure(null)
    try {
      await setKeyTrust(id, level)
      onChange()
    } catch (error) {
      setFailure(error)
    }
    setBusy(false)
  }
  return (
    <>
      <select
        aria-label={`Trust of ${name}`}
        value={trust}
        disabled={busy}
        onChange={(event) => void choose(event.currentTarget.value as TrustLevel)}
      >
        {TRUST_LEVELS.map(({ level, name: word, meaning }) => (
          <option key={level} value={level} title={meaning}>
            {word}
          </option>
        ))}
      </select>
      {failure !== null && <ErrorNotice error={failure} />}
    </>
  )
}
