import type { Counts } from '../api/counts.ts'
import { Chip } from '../components/chip.tsx'
import { setParams } from '../router/location.ts'
import type { SearchSettings } from './settings.ts'

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
export function Filters({
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
export const clearFilters = (): void =>
  setParams({ ...Object.fromEntries(GROUPS.map(({ param }) => [param, null])), trust: null, limit: null })
