import { useState } from 'preact/hooks'
import {
  type ApiKey,
  createKey,
  type KeyScope,
  type MadeKey,
  rotateKey,
  type TrustLevel,
} from '../api/keys.ts'
import type { Project } from '../api/projects.ts'
import { formatMoment } from '../components/ago.tsx'
import { Dialog, FormDialog } from '../components/dialog.tsx'
import { Copyable, Field } from '../components/field.tsx'
import { expiryOf, LIFETIMES } from './expiry.ts'
import { ProjectsChoice, type Reach } from './projects-choice.tsx'
import { TRUST_LEVELS } from './trust-levels.ts'

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
export function CreateKey({
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

const GRACES: readonly { readonly seconds: number; readonly name: string }[] = [
  { seconds: 0, name: 'not at all: it ends now' },
  { seconds: 3_600, name: 'an hour' },
  { seconds: 86_400, name: 'a day' },
  { seconds: 7 * 86_400, name: '7 days' },
  { seconds: 30 * 86_400, name: '30 days' },
]

/** Replaces a key by one that may do the same. */
export function RotateKey({
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
export function ShownKey({ made, onClose }: { readonly made: MadeKey; onClose(): void }) {
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
