import type { Logger } from '@daybook/runtime/logger'
import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { nanos, PermissionViolationError } from '@nats-io/transport-node'
import type { Session } from './link.ts'

/** There is no stream, and the user in `NATS_URL` may not make it. */
export class NoStreamYet extends Error {}

/** Maintains the stream: JetStream's store may be lost at any time, and the stream with it. */
export interface StreamKeeper {
  /**
   * Creates the stream if it is missing, and updates it to the settings. Asks the server once per session.
   * @throws NoStreamYet
   * @throws JetStreamApiError and others if the server refuses or does not answer
   */
  ensure(session: Session): Promise<void>
  /** Makes the next `ensure` ask again, because the stream may be gone. */
  doubt(session: Session): void
}

/** A keeper that has checked nothing yet. */
export function createStreamKeeper(settings: StreamSettings, logger: Logger): StreamKeeper {
  const ensured = new WeakMap<Session, Promise<void>>()
  // Asking again would be refused again, and the server logs each time.
  const mayNotMake = new WeakSet<Session>()
  const make = async (session: Session, config: StreamToMake): Promise<void> => {
    try {
      if (!mayNotMake.has(session)) return void (await session.manager.streams.add(config))
    } catch (error) {
      if (!isRefused(error)) throw error
      mayNotMake.add(session)
    }
    throw new NoStreamYet(
      `there is no stream ${config.name} yet, which this user of NATS may not make: it is made with the first event that a gateway publishes`,
    )
  }
  return {
    ensure(session) {
      const known = ensured.get(session) ?? ensureStream(session, settings, { make, logger })
      ensured.set(session, known)
      known.catch(() => ensured.delete(session))
      return known
    },
    doubt: (session) => void ensured.delete(session),
  }
}

type StreamToMake = Parameters<Session['manager']['streams']['add']>[0] & { readonly name: string }

interface Making {
  readonly make: (session: Session, config: StreamToMake) => Promise<void>
  readonly logger: Logger
}

async function ensureStream(
  session: Session,
  settings: StreamSettings,
  { make, logger }: Making,
): Promise<void> {
  const { manager } = session
  const { name } = settings
  const wanted = adjustable(settings)
  const existing = await manager.streams.info(name).catch((error: unknown) => {
    if (isApiError(error, JetStreamApiCodes.StreamNotFound)) return null
    throw error
  })
  if (existing === null) {
    // Several processes may do this at once: the same configuration is no conflict.
    await make(session, {
      name,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      storage: StorageType.File,
      ...wanted,
    })
    logger.info({ stream: name }, 'the stream was created')
    return
  }
  if (agrees(existing.config, wanted)) return
  try {
    await manager.streams.update(name, wanted)
    logger.info({ stream: name }, 'the stream was updated to its settings')
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error
    // The stream works, only not as wished. If this failed, no event would travel at all.
    logger.error(
      { stream: name, error },
      'the stream could not be updated to its settings and stays as it is: check replicas, age and size against what the NATS servers have',
    )
  }
}

function agrees(config: StreamConfig, wanted: ReturnType<typeof adjustable>): boolean {
  const { subjects, ...plain } = wanted
  const names = Object.keys(plain) as (keyof typeof plain)[]
  return subjects.join() === config.subjects.join() && names.every((name) => config[name] === plain[name])
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error && [error, error.cause].some((cause) => cause instanceof PermissionViolationError)

const isApiError = (error: unknown, code: number): boolean =>
  error instanceof JetStreamApiError && error.code === code

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
