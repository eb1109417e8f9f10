import { useState } from 'preact/hooks'
import type { ApiKey, MadeKey } from '../api/keys.ts'
import type { Project } from '../api/projects.ts'
import type { Quarantine } from '../api/quarantines.ts'
import type { Session } from '../api/session.ts'
import { Chip } from '../components/chip.tsx'
import { BeginQuarantine } from './begin-quarantine.tsx'
import { CreateKey } from './create-key.tsx'
import { type KeyAction, KeyTable } from './key-table.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'
import { ShownKey } from './shown-key.tsx'

type Open = { readonly dialog: 'create' } | { readonly dialog: KeyAction; readonly of: ApiKey }

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
  const [open, setOpen] = useState<Open | null>(null)
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
        <p class="muted">No key is called so.</p>
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
