/** A filter that is on or off, with how many it would leave. */
export function Chip({
  name,
  count,
  on,
  onToggle,
}: {
  readonly name: string
  /** Null where it is not known. */
  readonly count: number | null
  readonly on: boolean
  onToggle(): void
}) {
  return (
    <button type="button" class="chip" aria-pressed={on} onClick={onToggle}>
      {name}
      {count !== null && <span class="count"> {count.toLocaleString()}</span>}
    </button>
  )
}
