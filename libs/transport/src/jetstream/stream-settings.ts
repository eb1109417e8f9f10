import type { StreamConfig } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'

/** The stream that events travel through. All processes of an installation must name the same one. */
export interface StreamSettings {
  /** @default DAYBOOK */
  readonly name: string
  /** Events go to `<prefix>.<project>.<kind>.<memory>`. @default daybook */
  readonly subjectPrefix: string
  /** How many servers hold a copy, 1 to 5; the cluster must have that many. @default 1 */
  readonly replicas: number
  /**
   * How long messages are kept, in milliseconds.
   * @default 7 days: enough to look into an incident after a weekend
   */
  readonly maxAgeMs: number
  /**
   * Beyond this size the oldest messages are deleted. JetStream reserves it on the disk and refuses a stream
   * that does not fit.
   * @default 1 GiB: some 500,000 events of 2 kB. Old messages are not needed, because the journal has them.
   * The size only limits how far back a stopped projector can catch up from the stream instead of Postgres.
   */
  readonly maxBytes: number
  /**
   * How long JetStream remembers a message's id and drops repetitions, in milliseconds. At most `maxAgeMs`.
   * @default 2 minutes
   */
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

/** The given settings, completed with the defaults. */
export const streamSettings = (given: Partial<StreamSettings> = {}): StreamSettings => ({
  ...DEFAULT_STREAM,
  ...given,
})

/** Every subject of the stream. */
export const allSubjects = ({ subjectPrefix }: StreamSettings): string => `${subjectPrefix}.>`

/** The part of JetStream's configuration that the settings decide. An existing stream is updated to it. */
export function adjustable(settings: StreamSettings) {
  return {
    subjects: [allSubjects(settings)],
    num_replicas: settings.replicas,
    max_age: nanos(settings.maxAgeMs),
    max_bytes: settings.maxBytes,
    duplicate_window: nanos(Math.min(settings.duplicateWindowMs, settings.maxAgeMs)),
  } satisfies Partial<StreamConfig>
}
