import { useState } from 'preact/hooks'
import {
  type ApiKey,
  createKey,
  type KeyScope,
  type MadeKey,
  type Quarantine,
  revokeKey,
  rotateKey,
  setKeyTrust,
  type TrustLevel,
} from '../api/keys.ts'
import type { Project } from '../api/projects.ts'
import type { Session } from '../api/session.ts'
import { Ago, formatAgo, formatMoment } from '../components/ago.tsx'
import { Badge, Chip } from '../components/badge.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { Dialog, FormDialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Copyable, Field } from '../components/field.tsx'
import { formatCount } from '../components/format.ts'
import { expiryOf, LIFETIMES } from './expiry.ts'
import { ProjectsChoice, type Reach } from './projects-choice.tsx'
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

const SCOPES: readonly { readonly scope: KeyScope; readonly name: string; readonly meaning: string }[] = [
  { scope: 'READ', name: 'Read', meaning: 'Search, and read everything in its projects.' },
  { scope: 'WRITE', name: 'Write', meaning: 'Remember, change and forget. All of it can be undone.' },
  {
    scope: 'FOLLOW',
    name: 'Follow',
    meaning: 'Let another Daybook copy the whole journal, also what is withheld from readers.',
  },
  {
    scope: 'ADMIN',
    name: 'Administer',
    meaning:
      'Manage keys and quarantines of its projects, and erase for good. Of all projects: run the whole Daybook.',
  },
]

/** Asks for what a new key is, and makes it. */
function CreateKey({
  projects,
  current,
  wholeDaybook,
  onMade,
  onClose,
}: {
  readonly projects: readonly Project[]
  /** The project that the console is about. */
  readonly current: string | null
  readonly wholeDaybook: boolean
  onMade(made: MadeKey): void
  onClose(): void
}) {
  const [scopes, setScopes] = useState<readonly KeyScope[]>(['READ', 'WRITE'])
  const [reach, setReach] = useState<Reach>('current')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [days, setDays] = useState('')
  const submit = async (fields: FormData) => {
    const text = (name: string) => String(fields.get(name) ?? '')
    onMade(
      await createKey({
        name: text('name').trim(),
        scopes,
        trust: text('trust') as TrustLevel,
        expiresAt: expiryOf(days, text('date'), Date.now()),
        allProjects: reach === 'all',
        projects: reach === 'all' ? null : reach === 'chosen' ? chosen : current === null ? null : [current],
      }),
    )
  }
  return (
    <FormDialog
      title="Create a key"
      action="Create"
      incomplete={scopes.length === 0 || (reach === 'chosen' && chosen.length === 0)}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field name="Name" hint="Who uses it. What is written with it has this name.">
        {(ids) => <input {...ids} name="name" required maxLength={200} autocomplete="off" />}
      </Field>
      <fieldset class="choices">
        <legend>It may</legend>
        {SCOPES.map(({ scope, name, meaning }) => (
          <label key={scope} class="choice">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) =>
                setScopes(
                  event.currentTarget.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope),
                )
              }
            />
            <span>
              {name}
              <span class="small muted block">{meaning}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <ProjectsChoice
        projects={projects}
        current={current}
        mayBeAll={wholeDaybook}
        reach={reach}
        chosen={chosen}
        onReach={setReach}
        onChoose={setChosen}
      />
      <Field
        name="Trust"
        hint="What it writes can be left out of searches by this level. It can be changed later."
      >
        {(ids) => (
          <select {...ids} name="trust">
            {TRUST_LEVELS.map(({ level, name, meaning }) => (
              <option key={level} value={level} selected={level === 'NORMAL'}>
                {name}: {meaning}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field name="Expires">
        {(ids) => (
          <select {...ids} value={days} onChange={(event) => setDays(event.currentTarget.value)}>
            {LIFETIMES.map(({ days: length, name }) => (
              <option key={name} value={length === null ? '' : String(length)}>
                {name}
              </option>
            ))}
            <option value="on">on a day of my choice</option>
          </select>
        )}
      </Field>
      {days === 'on' && (
        <Field name="The last day that it is valid">
          {(ids) => <input {...ids} type="date" name="date" required />}
        </Field>
      )}
    </FormDialog>
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

const GRACES: readonly { readonly seconds: number; readonly name: string }[] = [
  { seconds: 0, name: 'not at all: it ends now' },
  { seconds: 3_600, name: 'an hour' },
  { seconds: 86_400, name: 'a day' },
  { seconds: 7 * 86_400, name: '7 days' },
  { seconds: 30 * 86_400, name: '30 days' },
]

/** Replaces a key by one that may do the same. */
function RotateKey({
  of: { id, name, isOwn },
  onMade,
  onClose,
}: {
  readonly of: ApiKey
  onMade(made: MadeKey): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Rotate the key of ${name}`}
      action="Rotate"
      onSubmit={async (fields) => onMade(await rotateKey(id, Number(fields.get('grace'))))}
      onClose={onClose}
    >
      <p>
        A new key of the same name may do the same.{' '}
        {isOwn && 'This session belongs to the old one and ends with it.'}
      </p>
      <Field name="The old key stays valid for" hint="So that there is time to replace it where it is used.">
        {(ids) => (
          <select {...ids} name="grace">
            {GRACES.map(({ seconds, name: word }) => (
              <option key={seconds} value={seconds} selected={seconds === 86_400}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
    </FormDialog>
  )
}

/** Shows a key that was just made, the only time that this is possible. */
function ShownKey({ made, onClose }: { readonly made: MadeKey; onClose(): void }) {
  const { key, apiKey, replaces } = made
  return (
    <Dialog title={`The key of ${apiKey.name}`} onClose={onClose}>
      <div class="form">
        <p>
          <strong>It is shown only now.</strong> Daybook keeps no more than a hash of it. Copy it to where its
          user finds it, as <code>DAYBOOK_API_KEY</code>.
        </p>
        <Copyable label="The key" text={key} />
        {replaces !== null && (
          <p>
            {replaces.isValid && replaces.expiresAt !== null
              ? `The old one is valid until ${formatMoment(replaces.expiresAt)}: replace it where it is used.`
              : 'The old one has ended: replace it where it is used.'}
          </p>
        )}
        <div class="form-actions">
          <button type="button" class="primary" onClick={onClose}>
            I have kept it
          </button>
        </div>
      </div>
    </Dialog>
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
