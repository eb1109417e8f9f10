import { useEffect, useState } from 'preact/hooks'
import type { Counts } from '../api/counts.ts'
import { useRefreshes } from '../api/refresh.ts'
import { type SearchAnswer, search } from '../api/search.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { type Latest, useLatest } from '../components/use-latest.ts'
import { useUntilShared } from '../components/use-until-shared.ts'
import { setParams } from '../router/location.ts'
import { HitList } from './hit-list.tsx'
import { MethodChoice } from './method-choice.tsx'
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
  return (
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
      <HitList hits={hits} asOf={settings.asOf} label="Hits" ranksBeside={ranks} />
      {hits.length === settings.limit && next !== undefined && (
        <button type="button" onClick={() => setParams({ limit: String(next) }, { replace: true })}>
          Show up to {next}
        </button>
      )}
    </div>
  )
}

/** The query that an answer is to: what measures the page waits for it. */
const queryIn = (key: string | null): string | undefined =>
  key === null ? undefined : (JSON.parse(key) as { readonly query: string }).query
