import { createHash } from 'node:crypto'
import { canonicalJson } from '@daybook/memory/canonical-json'
import type { EventFacts } from '@daybook/memory/event-hash'

/**
 * Format 1 of the hash chain, without salts: migration 0007 made it, and migration 0013 reads it to recompute
 * all hashes.
 */

/** The hash of an event's data by format 1, in hex. */
export function hashData(data: unknown): string {
  return createHash('sha256').update(canonicalJson(data)).digest('hex')
}

/** The hash of an event by format 1, in hex. */
export function hashEvent(previous: string, facts: EventFacts, dataHash: string): string {
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
