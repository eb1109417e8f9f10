import type { StreamConfig } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'

/** The stream that events travel through. All processes of an installation must name the same. */
export interface StreamSettings {
  /** @default DAYBOOK */
  readonly name: string
  /** Events go to `<prefix>.<project>.<kind>.<memory>`. @default daybook */
  readonly subjectPrefix: string
  /** Servers that hold a copy, 1 to 5; more than the cluster has is refused. @default 1 */
  readonly replicas: number
  /** How long messages are kept, in milliseconds. @default 7 days: long enough to look into an incident after a weekend */
  readonly maxAgeMs: number
  /**
   * The oldest messages go beyond this size. JetStream sets it aside on the disk and refuses a stream that does not fit.
   * @default 1 GiB: some 500,000 events of 2 kB. Nothing reads old messages, since the journal has them; the size only
   * bounds how long a stopped projector catches up from the stream rather than from Postgres.
   */
  readonly maxBytes: number
  /** Within it JetStream drops a message whose id it has seen, in milliseconds. At most `maxAgeMs`. @default 2 minutes */
  readonly duplicateWindowMs: number
}

const DAY_MS = 24 * 60 * 60 * 1_000

const DEFAULT_STREAM: StreamSettings = {
  name: 'DAYBOOK',
  subjectPrefix: 'daybook',
  replicas: 1,
  maxAgeMs: 7 * DAY_MS,
  maxBytes: 1024 ** 3,
  duplicateWindowMs: 120_000,
}

export const streamSettings = (given: Partial<StreamSettings> = {}): StreamSettings => ({
  ...DEFAULT_STREAM,
  ...given,
})

/** Every subject of the stream. */
export const allSubjects = ({ subjectPrefix }: StreamSettings): string => `${subjectPrefix}.>`

/** What the settings decide of JetStream's configuration, and what an existing stream is brought to. */
export function adjustable(settings: StreamSettings) {
  return {
    subjects: [allSubjects(settings)],
    num_replicas: settings.replicas,
    max_age: nanos(settings.maxAgeMs),
    max_bytes: settings.maxBytes,
    duplicate_window: nanos(Math.min(settings.duplicateWindowMs, settings.maxAgeMs)),
  } satisfies Partial<StreamConfig>
}
