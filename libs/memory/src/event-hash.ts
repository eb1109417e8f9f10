import { createHash } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'

/*
 * The hash chain of a project's journal:
 *
 *   dataHash = SHA-256(canonical JSON of the event's data)
 *   hash     = SHA-256(the hash of the event before, canonical JSON of the other facts about the event and dataHash in hex)
 *
 * Two levels, so that an erasure can take the data away and keep its hash: everything else, and the chain, stays provable.
 * What is hashed is what a reader of the database gets, so that everybody can check it: numbers as JSON has them, moments as
 * RFC 3339 in UTC with milliseconds. This is a format. Journals and exports hold such hashes: it can never be changed, only
 * be followed by another one.
 */

/** What stands before the first event in place of a hash: 32 zero bytes. Hashes are in hex, as in JSON; the database has the bytes. */
export const CHAIN_START = '0'.repeat(64)

/** The facts about an event besides its data. Its trace is none: that names from where the append was watched. */
export interface EventFacts {
  readonly projectId: string
  readonly sequence: number
  readonly eventId: string
  readonly memoryId: string
  readonly version: number
  readonly type: string
  readonly schemaVersion: number
  readonly recordedAt: string
  readonly actor: string | null
  readonly correlationId: string | null
  readonly causationId: string | null
}

/** @throws Error for data that is not JSON */
export function hashData(data: unknown): string {
  return createHash('sha256').update(canonicalJson(data)).digest('hex')
}

/** @param previous the hash of the project's event before it, or `CHAIN_START` */
export function hashEvent(previous: string, facts: EventFacts, dataHash: string): string {
  // In the order of the names, which makes it canonical as it is.
  const hashed = JSON.stringify({
    actor: facts.actor,
    causationId: facts.causationId,
    correlationId: facts.correlationId,
    dataHash,
    eventId: facts.eventId,
    memoryId: facts.memoryId,
    projectId: facts.projectId,
    recordedAt: facts.recordedAt,
    schemaVersion: facts.schemaVersion,
    sequence: facts.sequence,
    type: facts.type,
    version: facts.version,
  })
  return createHash('sha256').update(previous, 'hex').update(hashed).digest('hex')
}
