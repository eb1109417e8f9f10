import * as prom from 'prom-client'
import { Gauge, type Registry } from 'prom-client'
import { pause } from './backoff.ts'
import { withTimeout } from './timers.ts'
import { countRejections } from './unhandled-rejections.ts'

/** Declares a metric where it is counted. Two parts that declare the same name share the metric. */
interface MetricDefinition<Label extends string = never> {
  /** `daybook_…`; counters end in `_total`, times in `_seconds`. `docs/monitoring.md` explains each. */
  readonly name: string
  readonly help: string
  readonly labels?: readonly Label[]
}

/** A value for each label; none for a metric without labels. */
type Labels<Label extends string> = Readonly<Record<Label, string>>

/** A metric that only grows (a counter), or that grows and shrinks (a gauge). */
interface Counted<Label extends string = never> {
  add(amount: number, labels?: Labels<Label>): void
}

/** A distribution. */
interface Observed<Label extends string = never> {
  observe(value: number, labels?: Labels<Label>): void
}

/**
 * Where a part declares and counts its metrics, without depending on Prometheus. `noMetrics` serves parts
 * that nobody watches.
 */
export interface Metrics {
  counter<Label extends string = never>(definition: MetricDefinition<Label>): Counted<Label>
  /** @param definition buckets are for seconds, from 1 ms to 10 s; `longer` are added to them */
  histogram<Label extends string = never>(
    definition: MetricDefinition<Label> & { readonly longer?: readonly number[] },
  ): Observed<Label>
  gauge<Label extends string = never>(definition: MetricDefinition<Label>): Counted<Label>
  /** The requests of one call to the journal, and how long the caller waited for the commit. */
  appended(outcome: AppendResult): void
  /**
   * A project's new events get earlier times than its last one, which was recorded while the clock was ahead.
   */
  timesSetBack(): void
  /** An event reached the bus this long after it was recorded. */
  relayed(delaySeconds: number): void
}

/** The outcome of one call to the journal. */
interface AppendResult {
  readonly events: number
  /** Requests that were refused or failed. */
  readonly refused: number
  readonly seconds: number
}

/** Metrics that record nothing. */
export const noMetrics: Metrics = {
  counter: () => ({ add() {} }),
  histogram: () => ({ observe() {} }),
  gauge: () => ({ add() {} }),
  appended() {},
  timesSetBack() {},
  relayed() {},
}

/** The metrics of a service: its parts report them, `/metrics` serves them. */
export interface ServiceMetrics extends Metrics {
  readonly contentType: string
  /** Everything in Prometheus' text format. Never fails: readings that cannot be taken are left out. */
  text(): Promise<string>
}

/** From a commit on a fast disk (1 ms) to the longest a request may take. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The options of `createMetrics`. */
interface MetricsOptions {
  /** `gateway`, `projector-pgvector`, …: the label `service` of every metric. */
  readonly service: string
  /** Absent: the gauges that need the database are left out. */
  readonly read?: () => Promise<readonly Reading[]>
  /** Called when readings could not be taken. */
  readonly onError?: (error: unknown) => void
}

const counted = (metric: prom.Counter | prom.Gauge): Counted<string> => ({
  add: (amount, labels = {}) => metric.inc(labels, amount),
})

/** The metrics of one service, in their own registry: two services in one process do not share one. */
export function createMetrics({ service, read, onError = () => {} }: MetricsOptions): ServiceMetrics {
  const registry = new prom.Registry()
  registry.setDefaultLabels({ service })
  const known = new Map<string, unknown>()
  const once = <Metric>(name: string, create: () => Metric): Metric => {
    const metric = (known.get(name) as Metric | undefined) ?? create()
    known.set(name, metric)
    return metric
  }
  const optionsOf = ({ name, help, labels = [] }: MetricDefinition<string>) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  })
  const instruments: Pick<Metrics, 'counter' | 'histogram' | 'gauge'> = {
    counter: (definition) => once(definition.name, () => counted(new prom.Counter(optionsOf(definition)))),
    gauge: (definition) => once(definition.name, () => counted(new prom.Gauge(optionsOf(definition)))),
    histogram: (definition) =>
      once(definition.name, () => {
        const buckets = [...SECONDS, ...(definition.longer ?? [])]
        const metric = new prom.Histogram({ ...optionsOf(definition), buckets })
        return { observe: (value: number, labels?: Labels<string>) => metric.observe(labels ?? {}, value) }
      }),
  }
  registry.registerMetric(
    new prom.Counter({
      name: 'daybook_unhandled_rejections_total',
      help: 'Errors that nothing in this process handled',
      registers: [],
      collect() {
        this.reset()
        this.inc(countRejections())
      },
    }),
  )
  let watching: Promise<void> | undefined
  const updateReadings = read === undefined ? async () => {} : readingGauges(registry, read, onError)
  return {
    ...instruments,
    ...commitMetrics(instruments),
    contentType: registry.contentType,
    async text() {
      await (watching ??= watchNode(registry))
      await updateReadings()
      return registry.metrics()
    },
  }
}

/** What the journal's writer and the relay report. */
function commitMetrics({
  counter,
  histogram,
}: Pick<Metrics, 'counter' | 'histogram'>): Pick<Metrics, 'appended' | 'timesSetBack' | 'relayed'> {
  const events = counter({
    name: 'daybook_append_events_total',
    help: 'Events committed to the journal by this process',
  })
  const refused = counter({
    name: 'daybook_append_refused_total',
    help: 'Requests to the journal that were refused or failed',
  })
  const seconds = histogram({
    name: 'daybook_append_seconds',
    help: 'Time from asking for an append to its commit, waiting for others included',
  })
  const setBack = counter({
    name: 'daybook_times_set_back_total',
    help: "How often a project's last event was recorded ahead of the database's clock, so that the next one got an earlier time",
  })
  const relayDelay = histogram({
    name: 'daybook_relay_delay_seconds',
    help: 'Time from the commit of an event to its acknowledgement by the bus',
    longer: [30, 60, 300],
  })
  return {
    appended(outcome) {
      events.add(outcome.events)
      refused.add(outcome.refused)
      seconds.observe(outcome.seconds)
    },
    timesSetBack: () => setBack.add(1),
    relayed: (delaySeconds) => relayDelay.observe(Math.max(0, delaySeconds)),
  }
}

/** Milliseconds that the event loop must be watched before its metrics are numbers. */
const WATCHED_MS = 30

/**
 * Adds Node's own metrics when somebody first asks for them: watching the event loop wakes it a hundred times
 * a second, which costs one percent of a core from then on.
 */
async function watchNode(registry: prom.Registry): Promise<void> {
  prom.collectDefaultMetrics({ register: registry })
  await pause(WATCHED_MS)
}

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

/** Milliseconds that a reading may take: Prometheus gives up after 10 s, and would then have no metric at all. */
const READ_MS = 5_000

/**
 * Gauges of what the database says.
 * @returns a function that updates the gauges if the last reading is older than `READINGS_MS`
 */
function readingGauges(
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

  /** A reading that was not waited for. While the database hangs, more of them would take all its connections. */
  let late: Promise<readonly Reading[]> | undefined
  const readInTime = (): Promise<readonly Reading[]> => {
    const reading = (late ??= read().finally(() => {
      late = undefined
    }))
    return withTimeout(READ_MS, reading, 'the database does not answer')
  }
  const take = async (): Promise<void> => {
    // Old values would look current: a projection or value that is gone must not be shown.
    // Prometheus' client forgets a value without labels by `remove`, and values with labels by `reset`.
    for (const { gauge, plain } of gauges.values()) {
      if (plain) gauge.remove()
      else gauge.reset()
    }
    try {
      for (const reading of await readInTime()) {
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
