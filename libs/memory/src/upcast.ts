import { decodeEvent } from './decode/decode-event.ts'
import { DaybookError, ValidationError } from './errors.ts'
import { EVENT_TYPES, type EventPayload, type EventType, SCHEMA_VERSION } from './events.ts'

/** An event's payload as it stands in the database, written by this or an earlier Daybook. */
export interface StoredPayload {
  /** The memory that the event is about. */
  readonly memoryId: string
  readonly type: string
  readonly schemaVersion: number
  readonly data: unknown
}

/** Turns data of `from` into data of `from + 1`, for one type of event. */
interface Upcaster {
  readonly type: EventType
  readonly from: number
  up(data: unknown): unknown
}

/**
 * Add one here when `SCHEMA_VERSION` grows. Events are never rewritten, so old ones are converted when read.
 * `libs/engines/pgvector/src/read/past-memories.ts` reads states of the past in SQL, as they are stored: it must
 * learn the conversion too.
 */
const UPCASTERS: readonly Upcaster[] = []

/**
 * Today's form of a stored payload.
 * @throws DaybookError CORRUPT_EVENT if the type or version is unknown here (written by a newer Daybook, or
 * damaged), or its data has another form
 */
export function upcast(
  stored: StoredPayload,
  upcasters: readonly Upcaster[] = UPCASTERS,
  target = SCHEMA_VERSION,
): EventPayload {
  const type = EVENT_TYPES.find((known) => known === stored.type)
  if (type === undefined) throw corrupt(`its type "${stored.type}" is not known to this version of Daybook`)
  let { data } = stored
  for (let version = stored.schemaVersion; version !== target; version += 1) {
    const upcaster = upcasters.find((one) => one.type === type && one.from === version)
    if (upcaster === undefined)
      throw corrupt(
        `its schema version ${stored.schemaVersion} cannot be read; this Daybook reads up to ${target}`,
      )
    data = upcaster.up(data)
  }
  try {
    return decodeEvent(type, stored.memoryId, data)
  } catch (error) {
    throw error instanceof ValidationError ? corrupt(error.message) : error
  }
}

function corrupt(problem: string): DaybookError {
  return new DaybookError('CORRUPT_EVENT', `The event cannot be read: ${problem}`)
}
