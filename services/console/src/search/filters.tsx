import { useEffect, useState } from 'preact/hooks'
import { readFirstMoment } from '../api/journal.ts'
import type { Counts } from '../api/search.ts'
import { formatMoment } from '../components/ago.tsx'
import { Chip } from '../components/badge.tsx'
import { setParams } from '../router/location.ts'
import { type Method, methodParams, type SearchSettings } from './settings.ts'

/** A filter: the parameter of the address, and which of the counts it takes its values from. */
interface FilterGroup {
  readonly title: string
  readonly param: string
  readonly facet: 'kinds' | 'labels' | 'categories' | 'contexts' | 'agents'
  /** Whether several can be on. */
  readonly several: boolean
  readonly chosen: (settings: SearchSettings) => readonly string[]
  readonly show?: (value: string) => string
}

const optional = (value: string | null): readonly string[] => (value === null ? [] : [value])

const GROUPS: readonly FilterGroup[] = [
  {
    title: 'Kind',
    param: 'kind',
    facet: 'kinds',
    several: true,
    chosen: ({ kinds }) => kinds,
    show: (kind) => kind.toLowerCase(),
  },
  { title: 'Label', param: 'label', facet: 'labels', several: true, chosen: ({ labels }) => labels },
  {
    title: 'Category',
    param: 'category',
    facet: 'categories',
    several: true,
    chosen: ({ categories }) => categories,
  },
  {
    title: 'Context',
    param: 'context',
    facet: 'contexts',
    several: false,
    chosen: ({ context }) => optional(context),
  },
  { title: 'Agent', param: 'agent', facet: 'agents', several: false, chosen: ({ agent }) => optional(agent) },
]

/** All filters as chips. What is chosen stays visible, also where nothing of it is left. */
function Filters({
  settings,
  counts,
}: {
  readonly settings: SearchSettings
  readonly counts: Counts | null
}) {
  return (
    <>
      {GROUPS.map((group) => (
        <Group key={group.param} group={group} settings={settings} counts={counts} />
      ))}
      <div role="group" aria-label="Trust">
        <h2>Trust</h2>
        <div class="chips">
          {(['NORMAL', 'HIGH'] as const).map((level) => (
            <Chip
              key={level}
              name={`at least ${level.toLowerCase()}`}
              count={null}
              on={settings.minTrust === level}
              onToggle={() => setParams({ trust: settings.minTrust === level ? null : level, limit: null })}
            />
          ))}
        </div>
      </div>
    </>
  )
}

function Group({
  group: { title, param, facet, several, chosen, show = (value) => value },
  settings,
  counts,
}: {
  readonly group: FilterGroup
  readonly settings: SearchSettings
  readonly counts: Counts | null
}) {
  const on = chosen(settings)
  const counted = counts?.[facet] ?? []
  const missing = on.filter((value) => !counted.some((one) => one.value === value))
  const values = [...missing.map((value) => ({ value, count: null })), ...counted]
  if (values.length === 0) return null
  const others = counts?.others.find((one) => one.facet === facet)
  const toggle = (value: string) => {
    const without = on.filter((one) => one !== value)
    const next = without.length < on.length ? without : several ? [...on, value] : [value]
    setParams({ [param]: next, limit: null })
  }
  return (
    <div role="group" aria-label={title}>
      <h2>{title}</h2>
      <div class="chips">
        {values.map(({ value, count }) => (
          <Chip
            key={value}
            name={show(value)}
            count={count}
            on={on.includes(value)}
            onToggle={() => toggle(value)}
          />
        ))}
        {others !== undefined && others.values > 0 && (
          <span class="small muted">and {others.values.toLocaleString()} more</span>
        )}
      </div>
    </div>
  )
}

/** How many filters are on. */
export const filtersOn = (settings: SearchSettings): number =>
  GROUPS.reduce((sum, { chosen }) => sum + chosen(settings).length, settings.minTrust === null ? 0 : 1)

/** Takes all filters off. */
const clearFilters = (): void =>
  setParams({ ...Object.fromEntries(GROUPS.map(({ param }) => [param, null])), trust: null, limit: null })

/** The filters in a part that folds, with how many are on, and a way to take all off. */
export function FiltersPanel({
  settings,
  counts,
  isOpen,
}: {
  readonly settings: SearchSettings
  readonly counts: Counts | null
  /** Whether it begins unfolded: where filters stand beside what they filter, and not above it. */
  readonly isOpen: boolean
}) {
  const on = filtersOn(settings)
  return (
    <details class="filters" open={isOpen}>
      <summary>Filters{on > 0 && ` (${on})`}</summary>
      {on > 0 && (
        <button type="button" class="quiet" onClick={clearFilters}>
          Clear all filters
        </button>
      )}
      <Filters settings={settings} counts={counts} />
    </details>
  )
}

const MODES = [
  ['HYBRID', 'Words and meaning'],
  ['KEYWORD', 'Words only'],
  ['SEMANTIC', 'Meaning only'],
] as const

const ENGINES = [
  ['AUTO', 'Any engine'],
  ['POSTGRES', 'Postgres'],
  ['TYPESENSE', 'Typesense'],
] as const

const RANKINGS = [
  ['DEFAULT', 'Usual ranking'],
  ['RRF', 'Rank fusion (RRF)'],
] as const

/** How to search and of when, in a part that folds. Its line says what is not as usual. */
export function OptionsPanel({ settings: { method, other, asOf } }: { readonly settings: SearchSettings }) {
  const words = [
    ...(other === null ? unusual(method) : ['two settings compared']),
    ...(asOf === null ? [] : [`as of ${formatMoment(asOf)}`]),
  ]
  const compare = () =>
    setParams(
      other === null
        ? { compare: '1', ...methodParams({ ...method, mode: 'KEYWORD' }, 'b.') }
        : { compare: null, 'b.mode': null, 'b.engine': null, 'b.ranking': null },
    )
  return (
    <details class="search-options">
      <summary>Options{words.length > 0 && `: ${words.join(', ')}`}</summary>
      <div class="search-tools">
        {other === null && (
          <MethodChoice
            name="How to search"
            method={method}
            onChoose={(chosen) => setParams(methodParams(chosen, ''))}
          />
        )}
        <button type="button" aria-pressed={other !== null} onClick={compare}>
          Compare
        </button>
      </div>
      <TimeSlider asOf={asOf} />
    </details>
  )
}

/** What of a method is not as usual, in the words of its choices. */
const unusual = ({ mode, engine, ranking }: Method): string[] =>
  [MODES, ENGINES, RANKINGS].flatMap((options) =>
    options.slice(1).flatMap(([one, words]) => ([mode, engine, ranking].includes(one) ? [words] : [])),
  )

/** Chooses how a search is made. @param name of the group, for screen readers */
export function MethodChoice({
  name,
  method,
  onChoose,
}: {
  readonly name: string
  readonly method: Method
  onChoose(method: Method): void
}) {
  return (
    <div class="method" role="group" aria-label={name}>
      <Choice
        label="Mode"
        value={method.mode}
        options={MODES}
        onChoose={(mode) => onChoose({ ...method, mode })}
      />
      <Choice
        label="Engine"
        value={method.engine}
        options={ENGINES}
        onChoose={(engine) => onChoose({ ...method, engine })}
      />
      <Choice
        label="Ranking"
        value={method.ranking}
        options={RANKINGS}
        onChoose={(ranking) => onChoose({ ...method, ranking })}
      />
    </div>
  )
}

function Choice<Value extends string>({
  label,
  value,
  options,
  onChoose,
}: {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, words: string])[]
  onChoose(value: Value): void
}) {
  return (
    <label>
      <span class="visually-hidden">{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value as Value)}>
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Steps of the slider over the project's life. */
const STEPS = 200

/** Below that there is no past to slide over, in milliseconds. */
const SHORTEST_MS = 1_000

/** Goes back to what was known at a moment of the project's life. At its right end it is now. */
function TimeSlider({ asOf }: { readonly asOf: string | null }) {
  const [begin, setBegin] = useState<number | null>(null)
  // Fixed while the page is open, so that a position keeps its moment.
  const [end] = useState(() => Date.now())
  useEffect(() => {
    readFirstMoment().then(
      (moment) => setBegin(moment === null ? null : Date.parse(moment)),
      // Without it there is no slider; what is wrong is shown beside the hits.
      () => setBegin(null),
    )
  }, [])
  if (begin === null || end - begin < SHORTEST_MS) return null
  const at = asOf === null ? STEPS : Math.round(((Date.parse(asOf) - begin) / (end - begin)) * STEPS)
  const words = asOf === null ? 'now' : formatMoment(asOf)
  const slide = (step: number) =>
    setParams(
      { asOf: step >= STEPS ? null : new Date(begin + ((end - begin) * step) / STEPS).toISOString() },
      { replace: true },
    )
  return (
    <div class="time-slider">
      <label for="as-of">
        What was known: <output for="as-of">{words}</output>
      </label>
      <input
        id="as-of"
        type="range"
        min={0}
        max={STEPS}
        value={Math.min(STEPS, Math.max(0, at))}
        aria-valuetext={words}
        onInput={(event) => slide(Number(event.currentTarget.value))}
      />
      {asOf !== null && (
        <button type="button" class="quiet" onClick={() => setParams({ asOf: null })}>
          Back to now
        </button>
      )}
    </div>
  )
}
