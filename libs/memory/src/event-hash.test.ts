import { describe, expect, it } from 'vitest'
import { CHAIN_START, type EventFacts, hashData, hashEvent } from './event-hash.ts'

const FACTS: EventFacts = {
  projectId: '0192f0c1-0000-7000-8000-000000000001',
  sequence: 1,
  eventId: '0192f0c1-0000-7000-8000-000000000002',
  memoryId: '0192f0c1-0000-7000-8000-000000000003',
  version: 1,
  type: 'MemoryRemembered',
  schemaVersion: 1,
  recordedAt: '2026-11-21T12:00:00.123Z',
  actor: 'default',
  correlationId: null,
  causationId: null,
}

describe('the hash of an event', () => {
  it('is what other programs come to, now and in later versions', () => {
    // printf '{"state":{"text":"é"}}' | sha256sum, and the same of 32 zero bytes with the facts as JSON with sorted keys.
    const dataHash = hashData({ state: { text: 'é' } })
    expect(dataHash).toBe('34e4687986a7255ca32a70a8aa4cab5c0d987abb2503e25b41489d740c03f6e9')
    expect(hashEvent(CHAIN_START, FACTS, dataHash)).toBe(
      '02eb5664601c0b36a164df293464613c0b0b1b665286c110bf99b147af23953e',
    )
  })

  it('is another one for each fact, the data and the event before', () => {
    const dataHash = hashData({})
    const hash = hashEvent(CHAIN_START, FACTS, dataHash)
    const others = Object.keys(FACTS).map((name) =>
      hashEvent(CHAIN_START, { ...FACTS, [name]: 'another' }, dataHash),
    )
    others.push(hashEvent(hash, FACTS, dataHash), hashEvent(CHAIN_START, FACTS, hashData([])))
    expect(new Set([hash, ...others]).size).toBe(others.length + 1)
  })

  it('does not depend on what else is known about it', () => {
    const traced = { ...FACTS, traceparent: '00-0-0-01', data: {} }
    expect(hashEvent(CHAIN_START, traced, CHAIN_START)).toEqual(hashEvent(CHAIN_START, FACTS, CHAIN_START))
  })
})
