import type { UndoAsked, UndoPlan } from '@daybook/client/documents/writes'
import { useId, useState } from 'preact/hooks'
import { planUndo, readNames, startUndo, type UndoOperation } from '../api/undo.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { eventWord, memoryAddress } from '../components/format.ts'
import { useChange, useLatest } from '../components/hooks.ts'
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
  const { answer: offered } = useLatest('names', readNames)
  const id = useId()
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })
  const names = [draft.agent, draft.context, draft.actor].some((one) => one.trim() !== '')
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
            offered={offered?.agents}
            onType={(agent) => set({ agent })}
          />
          <Name
            name="in the context"
            value={draft.context}
            offered={offered?.contexts}
            onType={(context) => set({ context })}
          />
          <Name
            name="with the key"
            value={draft.actor}
            offered={offered?.keys}
            onType={(actor) => set({ actor })}
          />
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
  offered,
  onType,
}: {
  readonly name: string
  readonly value: string
  readonly offered: readonly string[] | undefined
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
        {offered?.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </div>
  )
}

/** As `datetime-local` takes it, on the viewer's clock: to the millisecond, because an event's own moment is included. */
const toLocal = (moment: Date): string =>
  new Date(moment.getTime() - moment.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, -1)

/** Rows shown at first of each list. */
const ROWS = 50

/** What an undo would do, and the button that does it. */
export function UndoPreview({
  asked,
  onStarted,
}: {
  readonly asked: UndoAsked
  onStarted(operation: UndoOperation): void
}) {
  const [again, setAgain] = useState(0)
  const { answer, error, waiting } = useLatest(
    JSON.stringify(asked),
    (signal) => planUndo(asked, signal),
    again,
  )
  const start = useChange()
  if (error !== null) return <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />
  if (answer === null) return <p class="loading">Looking at what happened …</p>
  const { changed, refused } = answer
  if (changed + refused === 0)
    return (
      <p class="notice" role="status">
        There is nothing to undo: nothing of that has happened since.
      </p>
    )
  return (
    <section class="undo-preview" aria-label="What would happen">
      <h2 role="status">
        {changed === 1 ? '1 memory changes' : `${changed.toLocaleString()} memories change`}
        {refused > 0 && `, ${refused.toLocaleString()} stay as they are`}
      </h2>
      {changed > 0 && <Changes plan={answer} />}
      {refused > 0 && <Refusals plan={answer} />}
      {start.error !== null && <ErrorNotice error={start.error} />}
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={changed === 0 || start.busy || waiting}
          onClick={() => void start.run(async () => onStarted(await startUndo(asked)))}
        >
          {start.busy
            ? 'Asking …'
            : `Undo this in ${changed === 1 ? '1 memory' : `${changed.toLocaleString()} memories`}`}
        </button>
        <button type="button" onClick={() => setAgain(again + 1)} disabled={waiting}>
          Look again
        </button>
      </div>
    </section>
  )
}

function Changes({ plan: { changes, changed } }: { readonly plan: UndoPlan }) {
  const [rows, setRows] = useState(ROWS)
  return (
    <div class="table-frame">
      <table>
        <thead>
          <tr>
            <th scope="col">Memory</th>
            <th scope="col">What happened</th>
            <th scope="col">What the undo does</th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, rows).map(({ memoryId, title, action, happened, fromVersion, toVersion }) => (
            <tr key={memoryId}>
              <td>
                <a class="memory-title" href={memoryAddress(memoryId)}>
                  {title ?? memoryId}
                </a>
              </td>
              <td>{inWords(happened)}</td>
              <td>
                {action === 'FORGET'
                  ? 'is forgotten'
                  : `goes from version ${fromVersion.toLocaleString()} back to ${toVersion?.toLocaleString()}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <More
        shown={Math.min(rows, changes.length)}
        listed={changes.length}
        all={changed}
        onMore={() => setRows(rows * 4)}
      />
    </div>
  )
}

function Refusals({ plan: { refusals, refused } }: { readonly plan: UndoPlan }) {
  const [rows, setRows] = useState(ROWS)
  return (
    <div class="table-frame">
      <table>
        <thead>
          <tr>
            <th scope="col">Stays as it is</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {refusals.slice(0, rows).map(({ memoryId, title, reason }) => (
            <tr key={memoryId}>
              <td>
                <a class="memory-title" href={memoryAddress(memoryId)}>
                  {title ?? 'erased'}
                </a>
              </td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <More
        shown={Math.min(rows, refusals.length)}
        listed={refusals.length}
        all={refused}
        onMore={() => setRows(rows * 4)}
      />
    </div>
  )
}

function More({
  shown,
  listed,
  all,
  onMore,
}: {
  readonly shown: number
  /** How many the answer has. */
  readonly listed: number
  readonly all: number
  onMore(): void
}) {
  if (shown < listed)
    return (
      <button type="button" onClick={onMore}>
        Show more ({(all - shown).toLocaleString()})
      </button>
    )
  return all > listed ? <p class="small muted">and {(all - listed).toLocaleString()} more</p> : null
}

/** `MemoryRevised` twice becomes `revised 2 times`. */
function inWords(happened: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const type of happened) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts]
    .map(([type, count]) => eventWord(type) + (count === 1 ? '' : ` ${count.toLocaleString()} times`))
    .join(', ')
}
