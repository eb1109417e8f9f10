import type { Logger } from '@daybook/runtime/logger'
import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import type { Session } from './link.ts'
import { adjustable, type StreamSettings } from './stream-settings.ts'

/** Maintains the stream: JetStream's store may be lost at any time, and the stream with it. */
export interface StreamKeeper {
  /**
   * Creates the stream if it is missing, and updates it to the settings. Asks the server once per session.
   * @throws JetStreamApiError and others if the server refuses or does not answer
   */
  ensure(session: Session): Promise<void>
  /** Makes the next `ensure` ask again, because the stream may be gone. */
  doubt(session: Session): void
}

/** A keeper that has checked nothing yet. */
export function createStreamKeeper(settings: StreamSettings, logger: Logger): StreamKeeper {
  const ensured = new WeakMap<Session, Promise<void>>()
  return {
    ensure(session) {
      const known = ensured.get(session) ?? ensureStream(session, settings, logger)
      ensured.set(session, known)
      known.catch(() => ensured.delete(session))
      return known
    },
    doubt: (session) => void ensured.delete(session),
  }
}

async function ensureStream({ manager }: Session, settings: StreamSettings, logger: Logger): Promise<void> {
  const { name } = settings
  const wanted = adjustable(settings)
  const existing = await manager.streams.info(name).catch((error: unknown) => {
    if (isApiError(error, JetStreamApiCodes.StreamNotFound)) return null
    throw error
  })
  if (existing === null) {
    // Several processes may do this at once: the same configuration is no conflict.
    await manager.streams.add({
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

const isApiError = (error: unknown, code: number): boolean =>
  error instanceof JetStreamApiError && error.code === code
