import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { pause } from './backoff.ts'

/**
 * What a part reports about its work. Each part takes only the methods it needs (`Pick<Metrics,
 * 'appended'>`), so it does not depend on Prometheus. `noMetrics` serves parts that nobody watches.
 */
export interface Metrics {
  /** The requests of one call to the journal, and how long the caller waited for the commit. */
  appended(outcome: AppendResult): void
  /**
   * A project's new events get earlier times than its last one, which was recorded while the clock was ahead.
   */
  timesSetBack(): void
  /** An event reached the bus this long after it was recorded. */
  relayed(delaySeconds: number): void
  /** A projection has applied events, parked ones included. */
  applied(projection: string, events: number): void
  /** Texts got their vectors. */
  embedded(texts: number): void
  /** `retriever`: lexical, vector, neighbours, typesense, query-embedding. */
  searched(retriever: string, seconds: number): void
  /** A subscription began (1), or has ended including its last wait (-1). */
  subscribed(difference: 1 | -1): void
}

/** The outcome of one call to the journal. */
export interface AppendResult {
  readonly events: number
  /** Requests that were refused or failed. */
  readonly refused: number
  readonly seconds: number
}

/** Metrics that record nothing. */
export const noMetrics: Metrics = {
  appended() {},
  timesSetBack() {},
  relayed() {},
  applied() {},
  embedded() {},
  searched() {},
  subscribed() {},
}

/** Values that only the database knows. Read when Prometheus asks, at most every `READINGS_MS`. */
export interface Readings {
  /** Events that the live generation has not applied yet, in all projects; by projection. */
  readonly projectionLag: ReadonlyMap<string, number>
  /** Parked events of the live generation; by projection. */
  readonly parkedEvents: ReadonlyMap<string, number>
  /**
   * Projects in which the live generation has applied events that the journal does not have; by projection.
   */
  readonly divergedProjects: ReadonlyMap<string, number>
  /**
   * Memories of the live generation that differed from the journal and were rewritten, and those that still
   * differ; by projection.
   */
  readonly selfCheckDiffered: ReadonlyMap<string, number>
  readonly selfCheckUnhealed: ReadonlyMap<string, number>
  /** Texts that wait for their vectors, over all models. */
  readonly embeddingQueue: number
}

/** The metrics of a service: its parts report them, `/metrics` serves them. */
export interface ServiceMetrics extends Metrics {
  readonly contentType: string
  /** Everything in Prometheus' text format. Never fails: readings that cannot be taken are left out. */
  text(): Promise<string>
}

/**
 * Milliseconds for which a reading is reused, so that several Prometheus servers or page reloads cost the
 * database only one.
 */
const READINGS_MS = 5_000

/** From a commit on a fast disk (1 ms) to the longest a request may take. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The options of `createMetrics`. */
export interface MetricsOptions {
  /** `gateway`, `projector-pgvector`, …: the label `service` of every metric. */
  readonly service: string
  /** Absent: the gauges that need the database are left out. */
  readonly read?: () => Promise<Readings>
  /** Called when readings could not be taken. */
  readonly onError?: (error: unknown) => void
}

/** Every metric of Daybook, in its own registry: two services in one process do not share one. */
export function createMetrics({ service, read, onError = () => {} }: MetricsOptions): ServiceMetrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  const registers = [registry]
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = (name: string, help: string, labelNames: string[] = [], buckets = SECONDS) =>
    new Histogram({ name, help, labelNames, buckets, registers })

  const appendedEvents = counter(
    'daybook_append_events_total',
    'Events committed to the journal by this process',
  )
  const refused = counter(
    'daybook_append_refused_total',
    'Requests to the journal that were refused or failed',
  )
  const appendSeconds = histogram(
    'daybook_append_seconds',
    'Time from asking for an append to its commit, waiting for others included',
  )
  const timesSetBack = counter(
    'daybook_times_set_back_total',
    "How often a project's last event was recorded ahead of the database's clock, so that the next one got an earlier time",
  )
  const relayDelay = histogram(
    'daybook_relay_delay_seconds',
    'Time from the commit of an event to its acknowledgement by the bus',
    [],
    [...SECONDS, 30, 60, 300],
  )
  const applied = counter(
    'daybook_projection_events_total',
    'Events applied by this process, parked ones included',
    ['projection'],
  )
  const embedded = counter('daybook_embedded_texts_total', 'Texts that got their vectors from this process')
  const searchSeconds = histogram('daybook_search_seconds', 'Time of one retriever of a search', [
    'retriever',
  ])
  const subscriptions = new Gauge({
    name: 'daybook_subscriptions_open',
    help: 'Subscriptions that this process serves',
    registers,
  })
  let watching: Promise<void> | undefined
  const updateReadings = read === undefined ? async () => {} : databaseGauges(registry, read, onError)

  return {
    appended(outcome) {
      appendedEvents.inc(outcome.events)
      refused.inc(outcome.refused)
      appendSeconds.observe(outcome.seconds)
    },
    timesSetBack: () => timesSetBack.inc(),
    relayed: (delaySeconds) => relayDelay.observe(Math.max(0, delaySeconds)),
    applied: (projection, events) => applied.inc({ projection }, events),
    embedded: (texts) => embedded.inc(texts),
    searched: (retriever, seconds) => searchSeconds.observe({ retriever }, seconds),
    subscribed: (difference) => subscriptions.inc(difference),
    contentType: registry.contentType,
    async text() {
      await (watching ??= watchNode(registry))
      await updateReadings()
      return registry.metrics()
    },
  }
}

/** Milliseconds that the event loop must be watched before its metrics are numbers. */
const WATCHED_MS = 30

/**
 * Adds Node's own metrics when somebody first asks for them: watching the event loop wakes it a hundred times
 * a second, which costs one percent of a core from then on.
 */
async function watchNode(registry: Registry): Promise<void> {
  collectDefaultMetrics({ register: registry })
  await pause(WATCHED_MS)
}

/** @returns a function that updates the gauges if the last reading is older than `READINGS_MS` */
function databaseGauges(
  registry: Registry,
  read: () => Promise<Readings>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const byProjection = {
    projectionLag: gauge(
      'daybook_projection_lag',
      'Events that the live generation has not applied yet, in all projects',
      ['projection'],
    ),
    divergedProjects: gauge(
      'daybook_diverged_projects',
      'Projects in which the live generation has applied events that the journal does not have',
      ['projection'],
    ),
    parkedEvents: gauge(
      'daybook_parked_events',
      'Events that the live generation could not apply and holds until they are retried or dropped',
      ['projection'],
    ),
    selfCheckDiffered: gauge(
      'daybook_self_check_differed',
      'Memories that differed from the journal and were rewritten, since the generation began',
      ['projection'],
    ),
    selfCheckUnhealed: gauge(
      'daybook_self_check_unhealed',
      'Memories that still differ from the journal after they were rewritten',
      ['projection'],
    ),
  } satisfies { readonly [Reading in keyof Readings]?: Gauge }
  const queue = gauge(
    'daybook_embedding_queue',
    'Texts that wait for their vectors, counted once per project',
  )
  const up = gauge('daybook_database_up', 'Whether the database answered the last reading: 1 or 0')

  const take = async (): Promise<void> => {
    // Old values would look current: a projection or value that is gone must not be shown.
    for (const known of Object.values(byProjection)) known.reset()
    queue.remove()
    try {
      const readings = await read()
      for (const reading of Object.keys(byProjection) as (keyof typeof byProjection)[])
        for (const [projection, value] of readings[reading]) byProjection[reading].set({ projection }, value)
      queue.set(readings.embeddingQueue)
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
