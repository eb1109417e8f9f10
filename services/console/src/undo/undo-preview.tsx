import type { UndoAsked, UndoPlan } from '@daybook/client/documents/undo'
import { useState } from 'preact/hooks'
import { planUndo, startUndo, type UndoOperation } from '../api/undo.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { eventWord } from '../components/event-word.ts'
import { memoryAddress } from '../components/memory-address.ts'
import { useChange } from '../components/use-change.ts'
import { useLatest } from '../components/use-latest.ts'

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
