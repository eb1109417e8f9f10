import { COLOUR_BY, type ColourBy, type Grouping } from './groups.ts'

/** What the colours mean, with how many points have each. A press hides one, or shows it again. */
export function Legend({
  by,
  grouping,
  hidden,
  onChoose,
  onToggle,
}: {
  readonly by: ColourBy
  readonly grouping: Grouping
  readonly hidden: ReadonlySet<number>
  onChoose(by: ColourBy): void
  onToggle(group: number): void
}) {
  return (
    <div class="map-legend" role="group" aria-label="Colours">
      <label>
        Colour by{' '}
        <select value={by} onChange={(event) => onChoose(event.currentTarget.value as ColourBy)}>
          {COLOUR_BY.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <div class="chips">
        {grouping.groups.map(
          ({ name, colour, count }, group) =>
            count > 0 && (
              <button
                key={name}
                type="button"
                class="map-group small"
                aria-pressed={!hidden.has(group)}
                title={hidden.has(group) ? 'Show them' : 'Hide them'}
                onClick={() => onToggle(group)}
              >
                <span class={`dot ${colour}`} />
                <span class="map-group-name">{name}</span> <span class="muted">{count.toLocaleString()}</span>
              </button>
            ),
        )}
      </div>
    </div>
  )
}
