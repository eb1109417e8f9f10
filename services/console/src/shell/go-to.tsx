import { useId, useState } from 'preact/hooks'
import { findTitles } from '../api/search.ts'
import { Dialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { memoryAddress, pageAddress } from '../components/format.ts'
import { useCanWrite, useLatest } from '../components/hooks.ts'
import { navigate } from '../router/location.ts'
import type { Page } from './page.ts'

/** Something to go to, or to do. */
interface Entry {
  readonly key: string
  readonly words: string
  /** What it is, in a word. */
  readonly sort: string
  go(): void
}

/** One field for everything: the pages, the memories that a search finds, and a new memory of what was typed. */
export default function GoTo({
  pages,
  onAdd,
  onClose,
}: {
  /** Those that the session may open. */
  readonly pages: readonly Page[]
  onAdd(text: string): void
  onClose(): void
}) {
  const [typed, setTyped] = useState('')
  // By its key: hits that come meanwhile do not move it.
  const [active, setActive] = useState<string | null>(null)
  const canWrite = useCanWrite()
  const id = useId()
  const query = typed.trim()
  const { answer, error } = useLatest(query === '' ? null : query, (signal) => findTitles(query, signal))
  const entries: readonly Entry[] = [
    ...pages
      .filter(({ title }) => title.toLowerCase().includes(query.toLowerCase()))
      .map(({ path, title }) => ({
        key: path,
        words: title,
        sort: 'page',
        go: () => navigate(pageAddress(path)),
      })),
    ...(answer ?? []).map((memory) => ({
      key: memory.id,
      words: memory.title,
      sort: memory.kind.toLowerCase(),
      go: () => navigate(memoryAddress(memory.id)),
    })),
    ...(canWrite
      ? [
          {
            key: 'add',
            words: query === '' ? 'Add a memory' : `Add “${query}” as a memory`,
            sort: 'new',
            go: () => onAdd(query),
          },
        ]
      : []),
  ]
  const at = Math.max(
    0,
    entries.findIndex(({ key }) => key === active),
  )
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return
    onClose()
    entry.go()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) run(entries[at])
    else setActive(entries[(at + step + entries.length) % entries.length]?.key ?? null)
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div class="form">
        <input
          type="text"
          role="combobox"
          aria-label="A page, a memory, or something to remember"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={entries[at] === undefined ? undefined : `${id}-${at}`}
          placeholder="A page, a memory, or something to remember"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setActive(null)
          }}
          onKeyDown={press}
        />
        {error !== null && <ErrorNotice error={error} />}
        <div id={id} class="go-to" role="listbox" aria-label="Where to">
          {entries.map((entry, index) => (
            <div
              key={entry.key}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              onClick={() => run(entry)}
            >
              <span class="memory-title">{entry.words}</span> <span class="tag">{entry.sort}</span>
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  )
}

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['Ctrl K', '⌘ K'], 'go to a page or a memory, or add one'],
  [['?'], 'these keys'],
  [['/'], 'to the field of the search'],
  [['j', 'k', '↓', '↑'], 'from hit to hit, and from event to event with the arrows'],
  [['Enter'], 'opens the hit, or the event'],
  [['+', '−', '0'], 'on the map: larger, smaller, the whole; arrows move it'],
  [['Esc'], 'closes what is open'],
]

/** What each key does. */
export function KeysDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="form">
        <dl class="facts">
          {KEYS.map(([keys, does]) => (
            <div key={does}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <div class="form-actions">
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  )
}
