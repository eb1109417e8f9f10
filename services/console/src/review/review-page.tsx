import {
  SETTLEMENTS,
  type Settlement,
  SUSPICION_HEADINGS,
  SUSPICIONS,
  type Suspicion,
} from '@daybook/memory/settle'
import { useId, useState } from 'preact/hooks'
import { readSuspected, type SettledPair, type SuspectedPair, settlePair } from '../api/review.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { pageAddress } from '../components/format.ts'
import { useChange, useLatest } from '../components/hooks.ts'
import { MemoryFacts } from '../components/memory-facts.tsx'
import { setParams, useLocation } from '../router/location.ts'
import type { PageProps } from '../shell/page.ts'

/** The suspected pairs, and what a person decides about them. Nothing is decided by itself. */
export default function ReviewPage({ session }: PageProps) {
  const { params } = useLocation()
  const wanted = params.get('suspicion')
  const suspicion = wanted !== null && Object.hasOwn(SUSPICIONS, wanted) ? (wanted as Suspicion) : null
  const context = params.get('context')
  const asked = JSON.stringify([suspicion, context])
  return (
    <div class="page review-page">
      <h1>Review</h1>
      <p class="measure">
        Memories of one context that seem to repeat or contradict each other. They are suspected by the words
        that differ, and some suspicions are wrong: nothing follows from one until you decide. Every decision
        can be undone.
      </p>
      <Choice suspicion={suspicion} context={context} />
      {!session.scopes.includes('write') && (
        <p class="notice">Your key may only read, so it can settle nothing.</p>
      )}
      <Pairs
        key={asked}
        suspicion={suspicion}
        context={context}
        canWrite={session.scopes.includes('write')}
      />
    </div>
  )
}

function Choice({
  suspicion,
  context,
}: {
  readonly suspicion: Suspicion | null
  readonly context: string | null
}) {
  const id = useId()
  return (
    <div class="choice-line">
      <label for={`${id}suspicion`}>Show</label>
      <select
        id={`${id}suspicion`}
        value={suspicion ?? ''}
        onChange={(event) => setParams({ suspicion: event.currentTarget.value || null })}
      >
        <option value="">all</option>
        {Object.keys(SUSPICIONS).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <label for={`${id}context`}>in the context</label>
      <input
        id={`${id}context`}
        value={context ?? ''}
        placeholder="any"
        autocomplete="off"
        spellcheck={false}
        onChange={(event) => setParams({ context: event.currentTarget.value.trim() || null })}
      />
    </div>
  )
}

function Pairs({
  suspicion,
  context,
  canWrite,
}: {
  readonly suspicion: Suspicion | null
  readonly context: string | null
  readonly canWrite: boolean
}) {
  const [pairs, setPairs] = useState<readonly SuspectedPair[]>([])
  const [after, setAfter] = useState<string | null>(null)
  const [tries, setTries] = useState(0)
  const { answer, error, waiting } = useLatest(
    after ?? '',
    async (signal) => {
      const page = await readSuspected({ kind: suspicion, context, after }, signal)
      if (!signal.aborted) setPairs((before) => [...before, ...page.pairs])
      return page
    },
    tries,
  )
  if (error !== null) return <ErrorNotice error={error} onRetry={() => setTries(tries + 1)} />
  const next = answer?.next ?? null
  return (
    <>
      <p role="status" class="muted">
        {waiting
          ? 'Comparing memories …'
          : pairs.length > 0
            ? `${pairs.length === 1 ? '1 pair' : `${pairs.length} pairs`}, the latest written first.`
            : next === null
              ? 'Nothing is suspected.'
              : 'Nothing is suspected among the newest memories.'}
      </p>
      {pairs.map((pair) => (
        <Pair key={`${pair.older.id} ${pair.newer.id}`} pair={pair} canWrite={canWrite} />
      ))}
      {next !== null && (
        <div class="buttons">
          <button type="button" disabled={waiting} onClick={() => setAfter(next)}>
            Look at older memories
          </button>
        </div>
      )}
    </>
  )
}

/** The decisions: what the button says, how the pair is settled, and whether the older one is taken for the newer. */
const DECISIONS: readonly (readonly [string, Settlement, boolean])[] = [
  ['Newer replaces older', 'supersede', false],
  ['Older is right', 'supersede', true],
  ['Keep both', 'keep-both', false],
  ['Merge into newer', 'merge', false],
  ['Forget older', 'forget', false],
  ['Forget newer', 'forget', true],
]

function Pair({ pair, canWrite }: { readonly pair: SuspectedPair; readonly canWrite: boolean }) {
  const { kind, older, newer, differences } = pair
  const [settled, setSettled] = useState<{ readonly words: string; readonly written: SettledPair } | null>(
    null,
  )
  const change = useChange()
  const settle = (words: string, as: Settlement, turned: boolean) =>
    void change.run(async () => {
      const [gives, stays] = turned ? [newer, older] : [older, newer]
      setSettled({ words, written: await settlePair(gives.id, stays.id, as) })
    })
  return (
    <article class="card stack">
      <h2>{SUSPICION_HEADINGS[kind.toLowerCase() as Suspicion]}</h2>
      <div class="side-by-side">
        {[['Older', older] as const, ['Newer', newer] as const].map(([name, memory]) => (
          <section key={name} aria-label={name}>
            <p class="small muted">{name}</p>
            <MemoryFacts memory={memory} />
            {memory.text !== memory.title && <pre class="hit-text">{memory.text}</pre>}
          </section>
        ))}
      </div>
      {differences.length > 0 && (
        <p class="small">
          They differ in{' '}
          {differences.map((one, at) => (
            <span key={at}>
              {at > 0 && ', '}
              <mark>{one.older || '(nothing)'}</mark> → <mark>{one.newer || '(nothing)'}</mark>
            </span>
          ))}
        </p>
      )}
      {change.error !== null && <ErrorNotice error={change.error} />}
      {settled !== null ? (
        <p role="status" class="notice">
          Settled: {settled.words.toLowerCase()}.{' '}
          {settled.written.since === null ? (
            'It was so already.'
          ) : (
            <a
              href={pageAddress('/console/undo', {
                since: settled.written.since,
                operation: settled.written.correlationId,
              })}
            >
              Undo …
            </a>
          )}
        </p>
      ) : (
        canWrite && (
          <div class="buttons">
            {DECISIONS.map(([words, as, turned]) => (
              <button
                key={words}
                type="button"
                title={SETTLEMENTS[as]}
                disabled={change.busy}
                onClick={() => settle(words, as, turned)}
              >
                {words}
              </button>
            ))}
          </div>
        )
      )}
    </article>
  )
}
