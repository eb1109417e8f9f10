import { useEffect, useState } from 'preact/hooks'
import { readFirstMoment } from '../api/first-moment.ts'
import { formatMoment } from '../components/ago.tsx'
import { setParams } from '../router/location.ts'

/** Steps of the slider over the project's life. */
const STEPS = 200

/** Below that there is no past to slide over, in milliseconds. */
const SHORTEST_MS = 1_000

/** Goes back to what was known at a moment of the project's life. At its right end it is now. */
export function TimeSlider({ asOf }: { readonly asOf: string | null }) {
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
