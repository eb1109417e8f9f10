import { createHash } from 'node:crypto'
import { canonicalJson } from '@daybook/memory/canonical-json'
import type { EventFacts } from '@daybook/memory/event-hash'

/** Format 1 of the hash chain, without salts: made by migration 0007, read by migration 0013, which makes all hashes anew. */

export function hashData(data: unknown): string {
  return createHash('sha256').update(canonicalJson(data)).digest('hex')
}

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
