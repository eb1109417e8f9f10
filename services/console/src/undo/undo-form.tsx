import { useId, useState } from 'preact/hooks'
import { readNewest } from '../api/newest.ts'
import { useLatest } from '../components/use-latest.ts'
import { setParams } from '../router/location.ts'
import type { UndoSettings } from './undo-settings.ts'

const MINUTE_MS = 60_000

/** The usual spans. */
const SPANS = [
  ['15 minutes', 15 * MINUTE_MS],
  ['1 hour', 60 * MINUTE_MS],
  ['1 day', 24 * 60 * MINUTE_MS],
  ['1 week', 7 * 24 * 60 * MINUTE_MS],
] as const

/** Says what is to be undone. Nothing happens before it was looked at. */
export function UndoForm({ settings }: { readonly settings: UndoSettings }) {
  const [draft, setDraft] = useState({
    since: settings.since === null ? '' : toLocal(new Date(settings.since)),
    agent: settings.agent ?? '',
    context: settings.context ?? '',
    actor: settings.actor ?? '',
    everything: settings.everything,
  })
  const { answer } = useLatest('counts', (signal) => readNewest({ first: 1 }, signal))
  const id = useId()
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })
  const names = [draft.agent, draft.context, draft.actor].some((one) => one.trim() !== '')
  const counts = answer?.counts
  return (
    <form
      class="card undo-form"
      onSubmit={(event) => {
        event.preventDefault()
        setParams({
          since: new Date(draft.since).toISOString(),
          agent: given(draft.agent),
          context: given(draft.context),
          actor: given(draft.actor),
          everything: !names && draft.everything ? '1' : null,
          operation: null,
        })
      }}
    >
      <fieldset>
        <legend>Since when?</legend>
        <div class="buttons">
          <label class="visually-hidden" for={`${id}since`}>
            Since
          </label>
          <input
            id={`${id}since`}
            type="datetime-local"
            step="any"
            required
            value={draft.since}
            onInput={(event) => set({ since: event.currentTarget.value })}
          />
          {SPANS.map(([words, span]) => (
            <button
              key={words}
              type="button"
              class="chip"
              onClick={() => set({ since: toLocal(new Date(Date.now() - span)) })}
            >
              {words} ago
            </button>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>What was done …</legend>
        <div class="undo-names">
          <Name
            name="by the agent"
            value={draft.agent}
            offered={counts?.agents}
            onType={(agent) => set({ agent })}
          />
          <Name
            name="in the context"
            value={draft.context}
            offered={counts?.contexts}
            onType={(context) => set({ context })}
          />
          <Name name="with the key" value={draft.actor} onType={(actor) => set({ actor })} />
        </div>
        {!names && (
          <label class="undo-everything">
            <input
              type="checkbox"
              checked={draft.everything}
              onChange={(event) => set({ everything: event.currentTarget.checked })}
            />
            by everybody, in every context
          </label>
        )}
      </fieldset>
      <div class="buttons">
        <button type="submit" disabled={!names && !draft.everything}>
          Show what would happen
        </button>
      </div>
    </form>
  )
}

/** What was typed; null if that is nothing. */
const given = (text: string): string | null => (text.trim() === '' ? null : text.trim())

function Name({
  name,
  value,
  offered = [],
  onType,
}: {
  readonly name: string
  readonly value: string
  readonly offered?: readonly { readonly value: string; readonly count: number }[] | undefined
  onType(value: string): void
}) {
  const id = useId()
  return (
    <div class="draft-field">
      <label for={id}>{name}</label>
      <input
        id={id}
        list={`${id}-offered`}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onType(event.currentTarget.value)}
      />
      <datalist id={`${id}-offered`}>
        {offered.map((one) => (
          <option key={one.value} value={one.value} />
        ))}
      </datalist>
    </div>
  )
}

/** As `datetime-local` takes it, on the viewer's clock: to the millisecond, because an event's own moment is included. */
const toLocal = (moment: Date): string =>
  new Date(moment.getTime() - moment.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, -1)
