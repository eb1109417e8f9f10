import type { EventFacts } from '@daybook/memory/event-hash'

/*
 * An exported journal: UTF-8 text, each line one JSON object in canonical form (RFC 8785) that ends with a line feed.
 *
 *   {"format":"daybook-journal","version":2}
 *   {"project":{"events":2,"hash":"…","id":"…","name":"default"}}
 *   {"event":{…"sequence":1…}}
 *   {"event":{…"sequence":2…}}
 *   {"end":{"events":2,"projects":1,"sha256":"…"}}
 *
 * Projects stand in the order of their ids, each with all its events in the order of their sequences. Nothing in it depends on
 * when, where or from which database it was exported: the same content gives the same bytes.
 *
 * An event that was erased has null for its data, its salt and the hashes of the requests that led to it: from its line nothing
 * can be guessed. Version 1 had no salts, and hashes of another format.
 */

export const EXPORT_FORMAT = 'daybook-journal'
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
  /** How many events follow, which is also the last one's sequence. */
  readonly events: number
  /** The last one's hash in hex: the head of the project's chain. */
  readonly hash: string
}

/** An event as it is stored. Its project is the one of the project line before. */
export interface ExportedEvent extends Omit<EventFacts, 'projectId'> {
  /** Null once it was erased, and then the salt is too. */
  readonly data: unknown
  /** In hex, as both hashes: see `@daybook/memory/event-hash`. */
  readonly dataSalt: string | null
  readonly dataHash: string
  readonly hash: string
  /** Of the requests whose result is the memory at this version, in the order of the keys. So a request that is repeated after a move is known. */
  readonly idempotencyKeys: readonly ExportedKey[]
}

export interface ExportedKey {
  readonly key: string
  /** In hex, as `request-hash.ts` says: tells the same request from another one. Null where what it led to was erased. */
  readonly requestHash: string | null
}

/** The last line; without it an export is not complete. */
export interface ExportEnd {
  readonly events: number
  readonly projects: number
  /** SHA-256 in hex of all lines before. */
  readonly sha256: string
}

/** Whether a parsed first line begins an exported journal, of this or a newer version. */
export function isExportHeader(
  value: unknown,
): value is { readonly format: string; readonly version: unknown } {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === EXPORT_FORMAT
}
