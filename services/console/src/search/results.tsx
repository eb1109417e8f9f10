import type { Explanation } from '@daybook/client/documents/memory'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { listen } from '../api/listen.ts'
import { type Counts, type SearchAnswer, type SearchHit, search } from '../api/search.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { moveInList } from '../components/format.ts'
import {
  type Latest,
  refresh,
  useLatest,
  useRefreshes,
  useUntilShared,
  useVisible,
  useWide,
} from '../components/hooks.ts'
import { lazyPart } from '../components/lazy-part.tsx'
import { piecesOf } from '../components/matches.ts'
import { setParams } from '../router/location.ts'
import { MethodChoice } from './filters.tsx'
import { MemoryLine } from './memory-line.tsx'
import { number, type ScorePart, scoreParts } from './score-parts.ts'
import { filterOf, LIMITS, type Method, methodParams, type SearchSettings } from './settings.ts'

/** The answer by one method. */
function useSearch(settings: SearchSettings, method: Method | null, again: number): Latest<SearchAnswer> {
  const { query, limit, asOf } = settings
  const request = method === null ? null : { query, limit, asOf, filter: filterOf(settings), ...method }
  return useLatest(
    request === null ? null : JSON.stringify(request),
    (signal) => search(request as NonNullable<typeof request>, signal),
    again,
  )
}

/** What a search found, by one method or by two side by side. @param onCounts gets the counts for the filters */
export function Results({
  settings,
  onCounts,
}: {
  readonly settings: SearchSettings
  onCounts(counts: Counts): void
}) {
  const [tries, setTries] = useState(0)
  const again = tries + useRefreshes()
  const first = useSearch(settings, settings.method, again)
  const second = useSearch(settings, settings.other, again)
  useUntilShared(
    settings.asOf === null
      ? [first, second].flatMap(({ answer }) => answer?.hits.map(({ memory }) => memory) ?? [])
      : [],
  )
  const counts = first.answer?.facets
  useEffect(() => {
    if (counts !== undefined) onCounts(counts)
  }, [counts])
  const retry = () => setTries(tries + 1)
  if (settings.other === null) return <Column latest={first} settings={settings} onRetry={retry} />
  return (
    <div class="side-by-side">
      <section aria-label="First setting">
        <MethodChoice
          name="First setting"
          method={settings.method}
          onChoose={(method) => setParams(methodParams(method, ''))}
        />
        <Column latest={first} settings={settings} onRetry={retry} beside={second.answer} />
      </section>
      <section aria-label="Second setting">
        <MethodChoice
          name="Second setting"
          method={settings.other}
          onChoose={(method) => setParams(methodParams(method, 'b.'))}
        />
        <Column latest={second} settings={settings} onRetry={retry} beside={first.answer} />
      </section>
    </div>
  )
}

function Column({
  latest: { answer, error, waiting, tookMs, answeredKey },
  settings,
  onRetry,
  beside,
}: {
  readonly latest: Latest<SearchAnswer>
  readonly settings: SearchSettings
  onRetry(): void
  readonly beside?: SearchAnswer | null
}) {
  if (error !== null) return <ErrorNotice error={error} onRetry={onRetry} />
  if (answer === null) return <p class="loading">Searching …</p>
  const { hits, degraded, message, engine } = answer
  const ranks =
    beside == null ? undefined : new Map(beside.hits.map(({ memory }, index) => [memory.id, index + 1]))
  const next = LIMITS.find((limit) => limit > settings.limit)
  const list = (chosen: string | null) => (
    <div aria-busy={waiting} data-answers={queryIn(answeredKey)}>
      <p class="small muted" role="status">
        {hits.length === settings.limit ? `The best ${hits.length}` : hits.length}{' '}
        {hits.length === 1 ? 'hit' : 'hits'} from {engine === 'TYPESENSE' ? 'Typesense' : 'Postgres'} in{' '}
        {Math.round(tookMs ?? 0).toLocaleString()} ms
      </p>
      {degraded.length > 0 && (
        <div class="notice warning">
          <p>This answer lacks something:</p>
          <ul>
            {degraded.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
      {message !== null && <p class="notice">{message}</p>}
      <HitList hits={hits} asOf={settings.asOf} label="Hits" ranksBeside={ranks} chosen={chosen} />
      {hits.length === settings.limit && next !== undefined && (
        <button type="button" onClick={() => setParams({ limit: String(next) }, { replace: true })}>
          Show up to {next}
        </button>
      )}
    </div>
  )
  // Two answers beside each other leave no room for a memory.
  return beside === undefined ? (
    <Panes memories={hits.map(({ memory: { id }, snippet }) => ({ id, snippet }))} settings={settings}>
      {list}
    </Panes>
  ) : (
    list(null)
  )
}

const MemoryPane = lazyPart(async () => ({
  default: (await import('../memory/memory-page.tsx')).MemoryPane,
}))

/** A list of memories and, where the window has room, beside it the chosen one: the first, unless the address names another. */
export function Panes({
  memories,
  settings: { chosen, asOf },
  children: list,
}: {
  readonly memories: readonly { readonly id: string; readonly snippet?: string }[]
  readonly settings: SearchSettings
  /** Gets the id of the chosen one; null without room. */
  readonly children: (chosen: string | null) => ComponentChildren
}) {
  const wide = useWide(1_100)
  const shown = memories.find(({ id }) => id === chosen) ?? memories[0]
  if (!wide || shown === undefined) return <>{list(null)}</>
  return (
    <div class="panes">
      <div class="pane-list">{list(shown.id)}</div>
      <MemoryPane id={shown.id} asOf={asOf} snippet={shown.snippet ?? ''} />
    </div>
  )
}

/** The query that an answer is to: what measures the page waits for it. */
const queryIn = (key: string | null): string | undefined =>
  key === null ? undefined : (JSON.parse(key) as { readonly query: string }).query

/**
 * The hits of a search, best first.
 * @param ranksBeside where each memory is in the answer beside this one, from 1, if two are compared
 */
function HitList({
  hits,
  asOf,
  label,
  ranksBeside,
  chosen,
}: {
  readonly hits: readonly SearchHit[]
  readonly asOf: string | null
  readonly label: string
  readonly ranksBeside?: ReadonlyMap<string, number> | undefined
  readonly chosen: string | null
}) {
  return (
    <ol class="hits" aria-label={label} onKeyDown={moveInList}>
      {hits.map((hit, index) => (
        <li key={`${hit.memory.id} ${hit.version}`} class="hit">
          <div class="hit-head">
            <ScoreBar explanation={hit.explanation} title={hit.memory.title} />
            {ranksBeside !== undefined && (
              <span class="small muted">{moved(index + 1, ranksBeside.get(hit.memory.id))}</span>
            )}
          </div>
          <MemoryLine
            memory={{ ...hit.memory, trust: hit.trust }}
            asOf={asOf}
            chosen={chosen}
            snippet={piecesOf(hit.snippet)}
          />
        </li>
      ))}
    </ol>
  )
}

function moved(rank: number, beside: number | undefined): string {
  if (beside === undefined) return 'only here'
  if (beside === rank) return 'same place'
  return beside > rank ? `▲ ${beside - rank} (there: ${beside})` : `▼ ${rank - beside} (there: ${beside})`
}

/** How long after an event the lists ask again, in milliseconds: it is in the index by then, and many events cost one look. */
const AFTER_MS = 1_000

/** Lets the lists on the screen ask again when something happens in the project. @param on whether they show now, not the past */
export function useLiveRefresh(on: boolean): void {
  const visible = useVisible()
  useEffect(() => {
    if (!on || !visible) return
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        refresh()
      }, AFTER_MS)
    }
    // Without it the list is as new as its last look, and that look said what is wrong.
    listen(ended.signal, soon).catch(() => undefined)
    return () => {
      ended.abort()
      clearTimeout(timer)
    }
  }, [on, visible])
}

/**
 * A hit's score as a bar: as long as the score, divided by what spoke for the hit. Hovering, focusing or pressing it shows
 * the formula's numbers.
 */
function ScoreBar({ explanation, title }: { readonly explanation: Explanation; readonly title: string }) {
  const id = useId()
  // `held` by a press, so that touch and keyboard can keep it open; `shown` while the pointer or the focus is there.
  const [held, setHeld] = useState(false)
  const [shown, setShown] = useState(false)
  const { parts, result } = scoreParts(explanation)
  const open = held || shown
  const close = () => {
    setHeld(false)
    setShown(false)
  }
  return (
    <div class="score" onMouseEnter={() => setShown(true)} onMouseLeave={() => setShown(false)}>
      <button
        type="button"
        class="score-bar"
        aria-expanded={open}
        aria-controls={id}
        aria-label={`Score ${explanation.score.toFixed(2)}: why was "${title}" found?`}
        onFocus={() => setShown(true)}
        onBlur={close}
        onClick={() => setHeld(!held)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close()
        }}
      >
        <span class="score-number">{explanation.score.toFixed(2)}</span>
        <span class="score-track" aria-hidden="true">
          {segments(parts, explanation.score).map(({ series, percent }, index) => (
            <span key={index} class={`series-${series}`} style={{ width: `${percent}%` }} />
          ))}
        </span>
      </button>
      <div id={id} class="score-why card" hidden={!open}>
        <table>
          <caption class="visually-hidden">How the score came about</caption>
          <tbody>
            {parts.map(({ name, formula, contribution, series }) => (
              <tr key={name}>
                <th scope="row">
                  <span class={`dot series-${series}`} aria-hidden="true" /> {name}
                </th>
                <td class="muted">{formula}</td>
                <td>{signed(contribution)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p class="small">{result}</p>
        <p class="small muted">
          generation {explanation.generation}
          {explanation.model !== null && `, ${explanation.model}`}
        </p>
      </div>
    </div>
  )
}

/** The bar's pieces: what spoke for the hit, in its shares of the score's length. */
function segments(
  parts: readonly ScorePart[],
  score: number,
): { readonly series: number; readonly percent: number }[] {
  const speaking = parts.filter(({ contribution }) => contribution > 0)
  const sum = speaking.reduce((all, { contribution }) => all + contribution, 0)
  if (sum === 0) return [{ series: 6, percent: score * 100 }]
  return speaking.map(({ series, contribution }) => ({ series, percent: (contribution / sum) * score * 100 }))
}

const signed = (value: number): string => `${value > 0 ? '+' : ''}${number(value)}`
