import type { EventFacts } from '@daybook/memory/event-hash'

/*
 * An exported journal: UTF-8 text. Each line is one JSON object in canonical form (RFC 8785) and ends with a
 * line feed.
 *
 *   {"format":"daybook-journal","version":2}
 *   {"project":{"events":2,"hash":"…","id":"…","name":"default"}}
 *   {"event":{…"sequence":1…}}
 *   {"event":{…"sequence":2…}}
 *   {"end":{"events":2,"projects":1,"sha256":"…"}}
 *
 * Projects are in the order of their ids, each with all its events in sequence order. Nothing depends on
 * when, where or from which database it was exported: the same content gives the same bytes.
 *
 * An erased event has null for its data, its salt and the hashes of its requests, so that nobody can guess
 * the data from its line. Version 1 had no salts, and hashes of another format.
 */

/** The name of the format, which the first line carries. */
export const EXPORT_FORMAT = 'daybook-journal'
/** The version that this Daybook writes and reads. */
export const EXPORT_VERSION = 2

/** The first line. */
export interface ExportHeader {
  readonly format: typeof EXPORT_FORMAT
  readonly version: typeof EXPORT_VERSION
}

/** Begins a project. */
export interface ExportedProject {
  readonly id: string
  readonly name: string
  /** How many events follow; also the sequence of the last one. */
  readonly events: number
  /** The last event's hash in hex: the head of the project's chain. */
  readonly hash: string
}

/** An event as stored. It belongs to the project of the last project line. */
export interface ExportedEvent extends Omit<EventFacts, 'projectId'> {
  /** Null once erased, together with the salt. */
  readonly data: unknown
  /** In hex, like both hashes: see `@daybook/memory/event-hash`. */
  readonly dataSalt: string | null
  readonly dataHash: string
  readonly hash: string
  /**
   * The keys of the requests that led to this version of the memory, sorted by key. With them, a repeated
   * request is recognised even after a move.
   */
  readonly idempotencyKeys: readonly ExportedKey[]
}

/** An idempotency key and the hash of its request. */
export interface ExportedKey {
  readonly key: string
  /**
   * In hex; tells a repeated request from a different one (`append-request.ts`). Null if the event was erased.
   */
  readonly requestHash: string | null
}

/** The last line; without it an export is not complete. */
export interface ExportEnd {
  readonly events: number
  readonly projects: number
  /** SHA-256 in hex of all lines before this one. */
  readonly sha256: string
}

/** Whether a parsed first line begins an exported journal, of any version. */
export function isExportHeader(
  value: unknown,
): value is { readonly format: string; readonly version: unknown } {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === EXPORT_FORMAT
}
