import { useState } from 'preact/hooks'
import { readText, setDone } from '../api/memory-line.ts'
import type { ListedMemory } from '../api/search.ts'
import { Ago } from '../components/ago.tsx'
import { MemoryText, NotShared, Pieces } from '../components/badge.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { memoryAddress } from '../components/format.ts'
import { useCanWrite, useChange } from '../components/hooks.ts'
import { isCode, type Piece, withoutRepeats } from '../components/matches.ts'
import { navigate, setParams } from '../router/location.ts'

type TextState =
  | { readonly at: 'closed' | 'loading' }
  | { readonly at: 'open'; readonly text: string | null }
  | { readonly at: 'failed'; readonly error: unknown }

const NOTHING: readonly Piece[] = []

/**
 * A memory's title and what is known of it, as one entry of a list. Its title opens its text, which is never HTML; where
 * one is chosen, it chooses this one, and Enter opens the memory's page.
 */
export function MemoryLine({
  memory,
  asOf,
  chosen,
  snippet = NOTHING,
}: {
  readonly memory: ListedMemory
  readonly asOf: string | null
  /** The id of the memory that is shown beside the list; null: none is. */
  readonly chosen: string | null
  /** What a search shows of its text. */
  readonly snippet?: readonly Piece[]
}) {
  const [shown, setShown] = useState<TextState>({ at: 'closed' })
  const resolvedAt = 'resolvedAt' in memory ? memory.resolvedAt : undefined
  const { title, rest } = withoutRepeats(memory.title, snippet)
  const look = isCode(memory.title) ? 'as-link code' : 'as-link'
  const choose = () => setParams({ chosen: memory.id }, { replace: true })
  const toggle = async () => {
    if (shown.at !== 'closed') return setShown({ at: 'closed' })
    setShown({ at: 'loading' })
    await readText(memory.id, asOf).then(
      (text) => setShown({ at: 'open', text }),
      (error: unknown) => setShown({ at: 'failed', error }),
    )
  }
  return (
    <>
      <h3 class="hit-title">
        {chosen === null ? (
          <button
            type="button"
            class={look}
            data-title
            aria-expanded={shown.at !== 'closed'}
            onClick={() => void toggle()}
          >
            <Pieces pieces={title} />
          </button>
        ) : (
          <button
            type="button"
            class={look}
            data-title
            aria-current={memory.id === chosen}
            onClick={choose}
            onFocus={choose}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              navigate(memoryAddress(memory.id))
            }}
          >
            <Pieces pieces={title} />
          </button>
        )}
      </h3>
      <p class="small muted hit-facts">
        <span class="tag">{memory.kind.toLowerCase()}</span>
        <Ago moment={memory.occurredAt ?? memory.createdAt} />
        {memory.context !== null && <span>in {memory.context}</span>}
        {memory.agent !== null && <span>by {memory.agent}</span>}
        {memory.labels.map((label) => (
          <span key={label} class="tag">
            {label}
          </span>
        ))}
        <a href={memoryAddress(memory.id)} aria-label={`Open ${memory.title}`}>
          open
        </a>
        {resolvedAt !== undefined && <DoneButton {...memory} resolvedAt={resolvedAt} />}
        {memory.trust === 'LOW' && <span class="tag">low trust</span>}
        {!memory.shared && <NotShared />}
      </p>
      {shown.at === 'loading' && <p class="muted">Loading …</p>}
      {shown.at === 'failed' && <ErrorNotice error={shown.error} />}
      {shown.at === 'open' ? (
        <div class="hit-text">
          <MemoryText text={shown.text ?? 'This memory has no text besides its title.'} snippet={snippet} />
        </div>
      ) : (
        rest.length > 0 && (
          <p class={isCode(rest.map(({ text }) => text).join('')) ? 'code' : undefined}>
            <Pieces pieces={rest} />
          </p>
        )
      )}
    </>
  )
}

/** Says that a todo is done, and takes that back. @param resolvedAt RFC 3339; null: it is not done */
export function DoneButton({
  id,
  title,
  resolvedAt,
}: {
  readonly id: string
  readonly title: string
  readonly resolvedAt: string | null
}) {
  const { busy, error, run } = useChange()
  const canWrite = useCanWrite()
  return (
    <>
      {resolvedAt !== null && (
        <span class="tag">
          done <Ago moment={resolvedAt} />
        </span>
      )}
      {canWrite && (
        <button
          type="button"
          class="chip"
          disabled={busy}
          aria-label={`${resolvedAt === null ? 'Done' : 'Not done'}: ${title}`}
          onClick={() => void run(() => setDone(id, resolvedAt === null))}
        >
          {resolvedAt === null ? 'Done' : 'Not done'}
        </button>
      )}
      {error !== null && <ErrorNotice error={error} />}
    </>
  )
}
