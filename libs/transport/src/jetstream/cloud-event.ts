import type { EventData, LinkedEvent } from '@daybook/memory/events'
import { SCHEMA_VERSION } from '@daybook/memory/events'
import { upcast } from '@daybook/memory/upcast'
import { type BusMessage, hasEvent, type PublishedEntry } from '../bus.ts'

/*
 * An event on the bus, in both directions: CloudEvents 1.0 in structured JSON
 * (https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md). `data` is the
 * journal's data column, so that `upcast` reads it like a row. The rest are attributes, whose names may hold
 * only a-z and 0-9.
 *
 * `sequence` follows the extension of that name: a string that sorts like the number. `correlationid` and
 * `causationid` follow the extension on correlation, `traceparent` the one on tracing, `dataref` the one on
 * claim checks. `hash` and `previoushash` are the hashes of the event and its predecessor. Null values are
 * left out.
 */

/** The content type of the payload, for the header. */
export const CLOUD_EVENT_TYPE = 'application/cloudevents+json'

interface CloudEvent {
  readonly specversion: '1.0'
  readonly id: string
  readonly source: string
  readonly type: string
  readonly subject: string
  readonly time: string
  readonly datacontenttype?: 'application/json'
  readonly dataref?: string
  readonly project: string
  readonly sequence: string
  readonly hash: string
  readonly previoushash: string
  readonly memoryversion: number
  /** The schema version of the data; absent if the event cannot be read or was erased. */
  readonly schemaversion?: number
  readonly actor?: string
  readonly correlationid?: string
  readonly causationid?: string
  readonly traceparent?: string
  readonly data?: EventData
}

/** Digits of `Number.MAX_SAFE_INTEGER`. */
const SEQUENCE_DIGITS = 16
const TYPE_PREFIX = 'daybook.'

/** The kind in the subject of events that cannot be read or were erased. */
const NO_KIND = 'unknown'

/** `<prefix>.<project>.<kind>.<memory>`: clients can subscribe to only a project's or a kind's events. */
export function subjectOf(prefix: string, place: PublishedEntry): string {
  const kind = hasEvent(place) ? place.data.state.kind.toLowerCase() : NO_KIND
  return `${prefix}.${place.projectId}.${kind}.${place.memoryId}`
}

/**
 * The message of an event. Without its event, an entry's message says where the journal has it.
 * @param maxBytes limit for the message; a larger event travels without its data, which stays in the journal
 * (claim check)
 */
export function encodePlace(place: PublishedEntry, maxBytes: number): Uint8Array {
  const attributes = attributesOf(place)
  if (hasEvent(place)) {
    const whole = Buffer.from(
      JSON.stringify({
        ...attributes,
        datacontenttype: 'application/json',
        data: place.data,
      } satisfies CloudEvent),
    )
    if (whole.byteLength <= maxBytes) return whole
  }
  const dataref = `/projects/${place.projectId}/journal/${place.sequence}`
  return Buffer.from(JSON.stringify({ ...attributes, dataref } satisfies CloudEvent))
}

function attributesOf(event: PublishedEntry): Omit<CloudEvent, 'data'> {
  const { actor, correlationId, causationId, traceparent } = event
  return {
    specversion: '1.0',
    id: event.eventId,
    source: `/projects/${event.projectId}`,
    type: `${TYPE_PREFIX}${event.type}`,
    subject: event.memoryId,
    time: event.recordedAt,
    project: event.projectId,
    sequence: String(event.sequence).padStart(SEQUENCE_DIGITS, '0'),
    hash: event.hash,
    previoushash: event.previousHash,
    memoryversion: event.version,
    ...(hasEvent(event) && { schemaversion: SCHEMA_VERSION }),
    ...(actor !== null && { actor }),
    ...(correlationId !== null && { correlationid: correlationId }),
    ...(causationId !== null && { causationid: causationId }),
    ...(typeof traceparent === 'string' && { traceparent }),
  }
}

/** The content of a message, as far as it can be understood. */
export interface DecodedNews {
  /** Null if not even the project and the sequence can be read. */
  readonly news: BusMessage | null
  /** Why there is no message, or one without its event; null if nothing is wrong. */
  readonly problem: Error | null
}

/** Reads a message. Never throws: a bad message must not stop those after it. */
export function decodeNews(message: Uint8Array): DecodedNews {
  let given: Partial<Record<string, unknown>>
  try {
    given = Object(JSON.parse(new TextDecoder().decode(message)))
  } catch (error) {
    return { news: null, problem: asError(error) }
  }
  const { project, sequence: digits } = given
  const sequence = typeof digits === 'string' && /^\d{1,16}$/.test(digits) ? Number(digits) : 0
  if (typeof project !== 'string' || !Number.isSafeInteger(sequence) || sequence < 1)
    return { news: null, problem: new Error('the message names no project and sequence') }
  const place = { projectId: project, sequence }
  const news = { ...place, hash: typeof given.hash === 'string' ? given.hash : null }
  if (given.data === undefined && typeof given.dataref === 'string')
    return { news: { ...news, events: [] }, problem: null }
  try {
    return { news: { ...news, events: [eventOf(place, given)] }, problem: null }
  } catch (error) {
    return { news: { ...news, events: [] }, problem: asError(error) }
  }
}

function eventOf(
  place: { projectId: string; sequence: number },
  given: Partial<Record<string, unknown>>,
): LinkedEvent {
  const memoryId = stringAt(given, 'subject')
  const payload = upcast({
    memoryId,
    type: stringAt(given, 'type').slice(TYPE_PREFIX.length),
    schemaVersion: numberAt(given, 'schemaversion'),
    data: given.data,
  })
  return {
    ...place,
    hash: stringAt(given, 'hash'),
    previousHash: stringAt(given, 'previoushash'),
    eventId: stringAt(given, 'id'),
    memoryId,
    version: numberAt(given, 'memoryversion'),
    ...payload,
    recordedAt: stringAt(given, 'time'),
    actor: optionalAt(given, 'actor'),
    correlationId: optionalAt(given, 'correlationid'),
    causationId: optionalAt(given, 'causationid'),
    traceparent: optionalAt(given, 'traceparent'),
  }
}

function stringAt(given: Partial<Record<string, unknown>>, name: string): string {
  const value = given[name]
  if (typeof value !== 'string') throw new Error(`the message's attribute "${name}" is not a text`)
  return value
}

function numberAt(given: Partial<Record<string, unknown>>, name: string): number {
  const value = given[name]
  if (typeof value !== 'number') throw new Error(`the message's attribute "${name}" is not a number`)
  return value
}

const optionalAt = (given: Partial<Record<string, unknown>>, name: string): string | null =>
  given[name] === undefined || given[name] === null ? null : stringAt(given, name)

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
