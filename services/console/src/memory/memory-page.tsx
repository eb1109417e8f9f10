import { type KindName, kindNamed } from '@daybook/memory/kinds/index'
import { isBeginning } from '@daybook/memory/text-rules'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { JournalEvent } from '../api/events.ts'
import { listen } from '../api/listen.ts'
import {
  type ErasedMemory,
  forget,
  readMemory,
  restore,
  type WholeMemory,
  type Writer,
} from '../api/memory.ts'
import type { Session } from '../api/session.ts'
import { Ago, formatMoment } from '../components/ago.tsx'
import { MemoryText, NotShared } from '../components/badge.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { fieldName, fieldText } from '../components/field.tsx'
import { memoryAddress, pageAddress } from '../components/format.ts'
import {
  refresh,
  useChange,
  useLatest,
  useRefreshes,
  useUntilShared,
  useVisible,
} from '../components/hooks.ts'
import { type Piece, piecesOf } from '../components/matches.ts'
import { DoneButton } from '../search/memory-line.tsx'
import type { PageProps } from '../shell/page.ts'
import { Beside, History } from './history.tsx'
import { EraseDialog, ReviseForm } from './revise-form.tsx'

/** A memory that is there. */
function MemoryView({
  memory,
  session,
  onErased,
}: {
  readonly memory: WholeMemory
  readonly session: Session
  onErased(erased: ErasedMemory): void
}) {
  // What the form began with: a change by somebody else meanwhile must not slip in below what is typed.
  const [revised, setRevised] = useState<WholeMemory | null>(null)
  return (
    <article class="page memory-page">
      <header class="memory-head">
        <div class="memory-name">
          <h1>{memory.title}</h1>
          <Facts memory={memory} />
        </div>
        <MemoryActions
          memory={memory}
          session={session}
          isRevised={revised !== null}
          onRevise={() => setRevised(memory)}
          onErased={onErased}
        />
      </header>
      <Standing memory={memory} />
      <div class="memory-columns">
        <div class="memory-main">
          {revised === null ? (
            <OwnFields memory={memory} />
          ) : (
            <ReviseForm opened={revised} onEnd={() => setRevised(null)} />
          )}
          <History memory={memory} canWrite={session.scopes.includes('write')} />
        </div>
        <aside class="memory-aside" aria-label="About this memory">
          <Details memory={memory} />
          <Beside memory={memory} />
        </aside>
      </div>
    </article>
  )
}

/** What is known of a memory, in a line. */
function Facts({ memory }: { readonly memory: WholeMemory }) {
  return (
    <p class="small muted hit-facts">
      <span class="tag">{memory.kind.toLowerCase()}</span>
      <span>
        version {memory.version.toLocaleString()}, <Ago moment={memory.updatedAt} />
      </span>
      {memory.context !== null && <span>in {memory.context}</span>}
      {memory.agent !== null && <span>by {memory.agent}</span>}
      {!memory.shared && <NotShared />}
      {memory.kind === 'TODO' && memory.forgottenAt === null && (
        <DoneButton {...memory} resolvedAt={(memory.own['resolvedAt'] as string | undefined) ?? null} />
      )}
    </p>
  )
}

/** Whether what a memory says begins with its title. */
function saysTitle({ kind, title, own }: WholeMemory): boolean {
  return isBeginning(title, String(own[kindNamed(kind.toLowerCase() as KindName).mainField]))
}

/** A memory beside the list in which it was chosen, as it was at a moment; null: now. */
export function MemoryPane({
  id,
  asOf,
  snippet,
}: {
  readonly id: string
  readonly asOf: string | null
  /** What a search shows of it, as HTML: those words are marked. */
  readonly snippet: string
}) {
  const [tries, setTries] = useState(0)
  const refreshes = useRefreshes()
  const { answer, error, waiting } = useLatest(
    `${id} ${asOf}`,
    async (signal) => ({ memory: await readMemory(id, { asOf }, signal) }),
    tries + refreshes,
  )
  const memory = answer?.memory
  return (
    <section class="card memory-pane" aria-label="Chosen memory" aria-busy={waiting}>
      {error !== null && <ErrorNotice error={error} onRetry={() => setTries(tries + 1)} />}
      {answer === null && error === null && <p class="muted">Loading …</p>}
      {memory === null && <p class="muted">It is not there any more.</p>}
      {memory != null && (
        <>
          <h2 class={saysTitle(memory) ? 'visually-hidden' : undefined}>{memory.title}</h2>
          <div class="section-head">
            <Facts memory={memory} />
            <a href={memoryAddress(memory.id)}>Open its page</a>
          </div>
          <Standing memory={memory} />
          <OwnFields memory={memory} snippet={piecesOf(snippet)} />
          <Details memory={memory} />
        </>
      )}
    </section>
  )
}

/** What can be done with a memory, as far as the key may. */
function MemoryActions({
  memory,
  session: { scopes },
  isRevised,
  onRevise,
  onErased,
}: {
  readonly memory: WholeMemory
  readonly session: Session
  /** Whether the form is open. */
  readonly isRevised: boolean
  onRevise(): void
  onErased(erased: ErasedMemory): void
}) {
  const { busy, error, run } = useChange()
  const [asksToErase, setAsksToErase] = useState(false)
  const { id, version, forgottenAt } = memory
  if (!scopes.includes('write')) return <p class="small muted">Your key may only read.</p>
  const isAdmin = scopes.includes('admin')
  return (
    <div class="memory-actions">
      <div class="buttons">
        {forgottenAt === null ? (
          <>
            <button type="button" class="primary" disabled={isRevised} onClick={onRevise}>
              Revise
            </button>
            <button
              type="button"
              disabled={busy}
              onClick={() => void run(() => forget(id, version))}
              title="Takes it out of every search. It stays in the journal and can be brought back."
            >
              Forget
            </button>
          </>
        ) : (
          <button
            type="button"
            class="primary"
            disabled={busy}
            onClick={() => void run(() => restore(id, null, version))}
          >
            Bring it back
          </button>
        )}
        <button
          type="button"
          class="danger"
          disabled={!isAdmin}
          title={isAdmin ? 'For good' : 'Erasing needs a key with the scope admin'}
          onClick={() => setAsksToErase(true)}
        >
          Erase …
        </button>
      </div>
      {error !== null && <ErrorNotice error={error} />}
      {asksToErase && (
        <EraseDialog memory={memory} onClose={() => setAsksToErase(false)} onErased={onErased} />
      )}
    </div>
  )
}

/** What one must know before one believes the memory: that it is withheld, forgotten, replaced or little trusted. */
function Standing({
  memory: { quarantine, forgottenAt, supersededBy, trust, expiresAt },
}: {
  readonly memory: WholeMemory
}) {
  return (
    <>
      {quarantine !== null && (
        <p class="notice error" role="status">
          An author of this memory is in quarantine: no search finds it, and what it says may be poisoned.
          Reason: {quarantine.reason}
        </p>
      )}
      {forgottenAt !== null && (
        <p class="notice warning" role="status">
          <span>
            Forgotten <Ago moment={forgottenAt} />: no search finds it. Nothing is lost; “Bring it back”
            restores it as it was.
          </span>
        </p>
      )}
      {supersededBy !== null && (
        <p class="notice">
          <span>
            Superseded by <a href={memoryAddress(supersededBy.id)}>{supersededBy.title}</a>
          </span>
        </p>
      )}
      {trust === 'LOW' && quarantine === null && (
        <p class="notice warning">
          Low trust: its author takes in what others say, such as web pages or mail.
        </p>
      )}
      {expiresAt !== null && forgottenAt === null && (
        <p class="notice">
          <span>
            Expires <Ago moment={expiresAt} />
          </span>
        </p>
      )}
    </>
  )
}

/** The fields of the memory's kind, in the kind's order. What they say is text, whatever it looks like. */
function OwnFields({
  memory,
  snippet = [],
}: {
  readonly memory: WholeMemory
  readonly snippet?: readonly Piece[]
}) {
  const { fields } = kindNamed(memory.kind.toLowerCase() as KindName)
  const shown = Object.keys(fields).filter((field) => memory.own[field] !== undefined)
  return (
    <section class="card own-fields" aria-label="What it says">
      {shown.map((field) => (
        <div key={field}>
          {shown.length > 1 && <h2 class="field-name">{fieldName(field)}</h2>}
          <Value value={memory.own[field]} snippet={snippet} />
        </div>
      ))}
    </section>
  )
}

function Value({ value, snippet }: { readonly value: unknown; readonly snippet: readonly Piece[] }) {
  if (!Array.isArray(value)) return <MemoryText text={fieldText(value)} snippet={snippet} />
  return (
    <ul class="memory-list">
      {value.map((one, index) => (
        <li key={index}>{String(one)}</li>
      ))}
    </ul>
  )
}

/** The sequence of the last event of a memory since the page was opened; null before there is one. @param id with its kind */
function useLiveMemory(id: string): number | null {
  const [sequence, setSequence] = useState<number | null>(null)
  const visible = useVisible()
  useEffect(() => {
    if (!visible) return
    const ended = new AbortController()
    const take = (event: JournalEvent | null) => {
      if (event !== null && isOf(event.memoryId, id)) return setSequence(event.sequence)
      if (event !== null) return
      // The journal may never have the sequence again.
      setSequence(null)
      refresh()
    }
    // Without it the page is as new as its last look, and that look said what is wrong.
    listen(ended.signal, take).catch(() => undefined)
    return () => ended.abort()
  }, [id, visible])
  return sequence
}

/** Ids may be given, and are at times told, without the kind. */
const isOf = (told: string, id: string): boolean => plain(told) === plain(id)

const plain = (id: string): string => id.slice(id.indexOf(':') + 1).toLowerCase()

/** One memory: what it says, who wrote it, what happened to it, and what stands beside it. */
export default function MemoryPage({ session, rest: id }: PageProps) {
  // Another memory is another page: nothing that was typed or opened stays.
  return id === '' ? (
    <p class="notice">Which memory? Open one from the search or the journal.</p>
  ) : (
    <OneMemory key={id} id={id} session={session} />
  )
}

function OneMemory({ id, session }: { readonly id: string; readonly session: PageProps['session'] }) {
  const [tries, setTries] = useState(0)
  const [erased, setErased] = useState<ErasedMemory | null>(null)
  const refreshes = useRefreshes()
  const changedAt = useLiveMemory(id)
  const { answer, answeredKey, error } = useLatest(
    id,
    async (signal) => ({ memory: await readMemory(id, { atLeast: changedAt }, signal) }),
    tries + refreshes + (changedAt ?? 0),
  )
  useUntilShared(answer?.memory == null ? [] : [answer.memory])
  if (erased !== null) return <ErasedNotice erased={erased} />
  if (error !== null && answer === null)
    return <ErrorNotice error={error} onRetry={() => setTries(tries + 1)} />
  if (answer === null || answeredKey !== id) return <p class="loading">Loading …</p>
  if (answer.memory === null)
    return (
      <p class="notice">
        This project has no memory <code>{id}</code>. It may be in another project, or erased.
      </p>
    )
  return <MemoryView memory={answer.memory} session={session} onErased={setErased} />
}

/** Everything about a memory besides what it says: labels, metadata, times, who wrote it and how far that is trusted. */
function Details({ memory }: { readonly memory: WholeMemory }) {
  const { labels, categories, context, agent, importance, metadata, occurredAt, trust } = memory
  const hasMetadata = Object.keys(metadata).length > 0
  return (
    <section class="card">
      <h2>Details</h2>
      <dl class="facts">
        {labels.length > 0 && <Fact name="Labels" value={<Tags param="label" values={labels} />} />}
        {categories.length > 0 && (
          <Fact name="Categories" value={<Tags param="category" values={categories} />} />
        )}
        {context !== null && <Fact name="Context" value={<Tags param="context" values={[context]} />} />}
        {agent !== null && <Fact name="Agent" value={<Tags param="agent" values={[agent]} />} />}
        <Fact name="Importance" value={`${importance} of 10`} />
        <Fact name="Trust" value={trust.toLowerCase()} />
        {memory.writtenBy !== null && <Fact name="Written by" value={<By writer={memory.writtenBy} />} />}
        {memory.editedBy !== null && <Fact name="Edited by" value={<By writer={memory.editedBy} />} />}
        {occurredAt !== null && <Fact name="Happened" value={formatMoment(occurredAt)} />}
        <Fact name="Remembered" value={formatMoment(memory.createdAt)} />
        {memory.updatedAt !== memory.createdAt && (
          <Fact name="Changed" value={formatMoment(memory.updatedAt)} />
        )}
        <Fact name="Read" value={<Reads memory={memory} />} />
        {memory.supersedes !== null && (
          <Fact
            name="Supersedes"
            value={<a href={memoryAddress(memory.supersedes.id)}>{memory.supersedes.title}</a>}
          />
        )}
        {memory.part !== null && <Fact name="Part" value={<Part part={memory.part} />} />}
        <Fact name="Id" value={<code>{memory.id}</code>} />
      </dl>
      {hasMetadata && (
        <>
          <h3 class="field-name">Metadata</h3>
          <pre class="metadata" tabIndex={0} aria-label="Metadata">
            {JSON.stringify(metadata, null, 2)}
          </pre>
        </>
      )}
    </section>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** Each leads to the search for what has it too. */
function Tags({ param, values }: { readonly param: string; readonly values: readonly string[] }) {
  return (
    <span class="tags">
      {values.map((value) => (
        <a key={value} class="tag" href={pageAddress('/', { [param]: value })}>
          {value}
        </a>
      ))}
    </span>
  )
}

function By({ writer: { agent, client, keyId, trust } }: { readonly writer: Writer }) {
  return (
    <>
      {agent ?? client ?? 'a key'}
      {agent !== null && client !== null && <span class="muted"> with {client}</span>}
      <span class="muted">
        , {trust.toLowerCase()} trust, key <code title={keyId}>{keyId.slice(-8)}</code>
      </span>
    </>
  )
}

function Reads({ memory: { accessCount, accessedAt } }: { readonly memory: WholeMemory }) {
  if (accessedAt === null) return <>never yet</>
  return (
    <>
      {accessCount === 1 ? 'once' : `${accessCount.toLocaleString()} times`}, last <Ago moment={accessedAt} />
    </>
  )
}

function Part({ part: { number, parts, document } }: { readonly part: NonNullable<WholeMemory['part']> }) {
  return (
    <>
      {number.toLocaleString()} of {parts.length.toLocaleString()}
      {document !== null && (
        <>
          {' '}
          of <a href={memoryAddress(document.id)}>{document.title}</a>
        </>
      )}
    </>
  )
}

/** What an erasure came to, with its receipt. */
function ErasedNotice({
  erased: { contents, sequence, behind, outOfReach },
}: {
  readonly erased: ErasedMemory
}) {
  return (
    <div class="page">
      <div class="notice" role="status">
        <h1>The memory is erased</h1>
        <p>
          {contents === 1 ? 'One version' : `${contents.toLocaleString()} versions`} lost what{' '}
          {contents === 1 ? 'it' : 'they'} said, for good. The receipt is the event{' '}
          {sequence.toLocaleString()} of the journal, which says who erased it and when, and nothing else.
        </p>
        {behind !== null && <p class="muted">{behind}</p>}
        {outOfReach.length > 0 && (
          <>
            <p>Copies may be where Daybook cannot reach them:</p>
            <ul class="memory-list">
              {outOfReach.map((place) => (
                <li key={place}>{place}</li>
              ))}
            </ul>
          </>
        )}
        <a href={pageAddress('/')}>Back to the search</a>
      </div>
    </div>
  )
}
