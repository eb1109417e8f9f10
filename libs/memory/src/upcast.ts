import { DaybookError } from './errors.ts'
import { EVENT_TYPES, type EventPayload, type EventType, SCHEMA_VERSION, type StateAfter } from './events.ts'
import { isKindName } from './kinds/index.ts'

/** An event's payload as it stands in the database, written by this or an earlier Daybook. */
export interface StoredPayload {
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
 * damaged)
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
  const payload = { type, data }
  if (!hasState(payload)) throw corrupt('its data holds no state of a kind that this Daybook knows')
  return payload
}

/** Checks only those parts of the data that every reader relies on. */
function hasState(payload: { readonly type: EventType; readonly data: unknown }): payload is EventPayload {
  const state = (payload.data as Partial<StateAfter> | null)?.state
  return (
    typeof state === 'object' &&
    state !== null &&
    typeof state.id === 'string' &&
    typeof state.kind === 'string' &&
    isKindName(state.kind) &&
    typeof state.content === 'object' &&
    state.content !== null
  )
}

function corrupt(problem: string): DaybookError {
  return new DaybookError('CORRUPT_EVENT', `The event cannot be read: ${problem}`)
}
