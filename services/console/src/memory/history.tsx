import { useEffect, useState } from 'preact/hooks'
import {
  HISTORY_PAGE,
  type HistoryEvent,
  readHistory,
  readNeighbours,
  readSimilar,
  restore,
  type WholeMemory,
} from '../api/memory.ts'
import { Ago } from '../components/ago.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { fieldName } from '../components/field.tsx'
import { eventWord } from '../components/format.ts'
import { useChange, useLatest } from '../components/hooks.ts'
import { MemoryFacts, VersionChanges } from '../components/memory-facts.tsx'

/** What happened to the memory, the newest first, with what each version changed. */
export function History({
  memory: { id, version },
  canWrite,
}: {
  readonly memory: WholeMemory
  readonly canWrite: boolean
}) {
  const [events, setEvents] = useState<readonly HistoryEvent[]>([])
  // How far back it was asked for; new versions come on top.
  const [pages, setPages] = useState(1)
  const [error, setError] = useState<unknown>(null)
  const [tries, setTries] = useState(0)
  const change = useChange()
  useEffect(() => {
    const stale = new AbortController()
    const look = async () => {
      const found: HistoryEvent[] = []
      for (let page = 0; page < pages && version > page * HISTORY_PAGE; page += 1)
        found.push(...(await readHistory(id, version - page * HISTORY_PAGE, stale.signal)))
      setEvents(found)
      setError(null)
    }
    look().catch((failure: unknown) => {
      if (!stale.signal.aborted) setError(failure)
    })
    return () => stale.abort()
  }, [id, version, pages, tries])
  const oldest = events.at(-1)?.version ?? 1
  return (
    <section class="history" aria-label="History">
      <h2>History</h2>
      {error !== null && <ErrorNotice error={error} onRetry={() => setTries(tries + 1)} />}
      {change.error !== null && <ErrorNotice error={change.error} />}
      <ol class="timeline">
        {events.map((event, index) => (
          <VersionEntry
            key={event.version}
            id={id}
            event={event}
            // The last change is what most people come for.
            opened={index === 0}
            onRestore={
              canWrite && event.version !== version && hasContent(event)
                ? () => void change.run(() => restore(id, event.version, version))
                : null
            }
          />
        ))}
      </ol>
      {oldest > 1 && (
        <button type="button" onClick={() => setPages(pages + 1)}>
          Show older versions ({(oldest - 1).toLocaleString()})
        </button>
      )}
    </section>
  )
}

/** Whether one can go back to it. */
const hasContent = ({ status, type }: HistoryEvent): boolean =>
  status === 'READABLE' && type !== 'MemoryForgotten' && type !== 'MemoryExpired'

/** What stands in the place of an event's content. */
const WITHOUT: Readonly<Record<string, string>> = {
  ERASED: 'Its content was erased for good.',
  OPAQUE: 'This Daybook cannot read it: it is damaged, or of a newer version.',
  QUARANTINED: 'Withheld: its writer is in quarantine.',
}

/** One version in the timeline: what happened, who did it, and on demand what changed. */
function VersionEntry({
  id,
  event: { version, type, recordedAt, actor, writer, changed, status, sequence },
  opened,
  onRestore,
}: {
  readonly id: string
  readonly event: HistoryEvent
  readonly opened: boolean
  /** Null where one cannot go back to it. */
  readonly onRestore: (() => void) | null
}) {
  const [open, setOpen] = useState(opened)
  // That it was forgotten, and came back, the event says itself.
  const told = changed.filter((field) => field !== 'forgottenAt')
  const comparable = version > 1 && told.length > 0 && status === 'READABLE'
  const who = writer?.agent ?? writer?.client ?? null
  return (
    <li class={`version ${eventWord(type)}`}>
      <div class="version-head">
        <h3>
          {eventWord(type)} <span class="muted">version {version.toLocaleString()}</span>
        </h3>
        <span class="small muted">
          <Ago moment={recordedAt} />
          {actor !== null && <> by {actor}</>}
          {who !== null && <> ({who})</>}, event {sequence.toLocaleString()}
        </span>
        <span class="buttons">
          {comparable && (
            <button type="button" class="quiet small" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? 'Hide changes' : `Changes: ${told.map(fieldName).join(', ')}`}
            </button>
          )}
          {onRestore !== null && (
            <button type="button" class="quiet small" onClick={onRestore}>
              Restore version {version.toLocaleString()}
            </button>
          )}
        </span>
      </div>
      {status !== 'READABLE' && <p class="small muted">{WITHOUT[status] ?? status}</p>}
      {comparable && open && <VersionChanges id={id} version={version} />}
    </li>
  )
}

/** What stands beside a memory: in its context, and in meaning. */
export function Beside({ memory }: { readonly memory: WholeMemory }) {
  return (
    <>
      {memory.context !== null && <Neighbours memory={memory} context={memory.context} />}
      <Similar memory={memory} />
    </>
  )
}

/** What is asked again when the memory has changed. */
const keyOf = ({ id, version }: WholeMemory) => `${id} ${version}`

function Neighbours({ memory, context }: { readonly memory: WholeMemory; readonly context: string }) {
  const [again, setAgain] = useState(0)
  const { answer, error } = useLatest(keyOf(memory), (signal) => readNeighbours(memory.id, signal), again)
  return (
    <section class="card">
      <h2>Around it in {context}</h2>
      {error !== null && <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />}
      {answer === null && error === null && <p class="muted">Loading …</p>}
      {answer !== null && answer.before.length + answer.after.length === 0 && (
        <p class="muted">It is the only {memory.kind.toLowerCase()} there.</p>
      )}
      {answer !== null && answer.before.length + answer.after.length > 0 && (
        <ol class="beside-list">
          {answer.before.toReversed().map((one) => (
            <li key={one.id}>
              <MemoryFacts memory={one} />
            </li>
          ))}
          <li class="beside-this" aria-current="true">
            this one
          </li>
          {answer.after.map((one) => (
            <li key={one.id}>
              <MemoryFacts memory={one} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function Similar({ memory }: { readonly memory: WholeMemory }) {
  const [again, setAgain] = useState(0)
  const { answer, error } = useLatest(keyOf(memory), (signal) => readSimilar(memory.id, signal), again)
  return (
    <section class="card">
      <h2>Similar in meaning</h2>
      {error !== null && <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />}
      {answer === null && error === null && <p class="muted">Loading …</p>}
      {answer?.degraded.map((sentence) => (
        <p key={sentence} class="small muted">
          {sentence}
        </p>
      ))}
      {answer !== null && answer.hits.length === 0 && (
        <p class="muted">{answer.message ?? 'Nothing is similar to it.'}</p>
      )}
      {answer !== null && answer.hits.length > 0 && (
        <ol class="beside-list">
          {answer.hits.map(({ memory: one, score }) => (
            <li key={one.id}>
              <MemoryFacts memory={one} besides={`cosine ${score.toFixed(2)}`} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
