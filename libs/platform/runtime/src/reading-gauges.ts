import { Gauge, type Registry } from 'prom-client'

/** A value that only the database knows, for a gauge. */
export interface Reading {
  /** `daybook_…` */
  readonly name: string
  readonly help: string
  /** One value, or one for each value of the label. */
  readonly value: number | ReadonlyMap<string, number>
  /** Default `projection`. */
  readonly label?: string
}

/**
 * Milliseconds for which a reading is reused, so that several Prometheus servers or page reloads cost the
 * database only one.
 */
const READINGS_MS = 5_000

/**
 * Gauges of what the database says.
 * @returns a function that updates the gauges if the last reading is older than `READINGS_MS`
 */
export function readingGauges(
  registry: Registry,
  read: () => Promise<readonly Reading[]>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const registers = [registry]
  const gauges = new Map<string, { readonly gauge: Gauge; readonly plain: boolean }>()
  const gaugeOf = ({ name, help, value, label = 'projection' }: Reading): Gauge => {
    const plain = typeof value === 'number'
    const known = gauges.get(name) ?? {
      gauge: new Gauge({ name, help, labelNames: plain ? [] : [label], registers }),
      plain,
    }
    gauges.set(name, known)
    return known.gauge
  }
  const up = new Gauge({
    name: 'daybook_database_up',
    help: 'Whether the database answered the last reading: 1 or 0',
    registers,
  })

  const take = async (): Promise<void> => {
    // Old values would look current: a projection or value that is gone must not be shown.
    // Prometheus' client forgets a value without labels by `remove`, and values with labels by `reset`.
    for (const { gauge, plain } of gauges.values()) {
      if (plain) gauge.remove()
      else gauge.reset()
    }
    try {
      for (const reading of await read()) {
        const gauge = gaugeOf(reading)
        if (typeof reading.value === 'number') gauge.set(reading.value)
        else
          for (const [of, value] of reading.value) gauge.set({ [reading.label ?? 'projection']: of }, value)
      }
      up.set(1)
    } catch (error) {
      up.set(0)
      onError(error)
    }
  }

  let taken: Promise<void> | undefined
  let takenAt = 0
  return () => {
    if (taken === undefined || Date.now() - takenAt >= READINGS_MS) {
      takenAt = Date.now()
      taken = take()
    }
    return taken
  }
}
