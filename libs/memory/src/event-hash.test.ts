import { describe, expect, it } from 'vitest'
import { CHAIN_START, type EventFacts, hashData, hashEvent, newSalts, SALT_BYTES } from './event-hash.ts'

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

const SALT = '000102030405060708090a0b0c0d0e0f'

describe('the hash of an event', () => {
  it('tells nothing of its data without the salt, which no two events share', () => {
    const salts = newSalts(1_000)
    expect(new Set(salts).size).toBe(1_000)
    expect(salts.every((salt) => Buffer.from(salt, 'hex').length === SALT_BYTES)).toBe(true)
    expect(new Set(salts.map((salt) => hashData(salt, { text: 'yes' }))).size).toBe(1_000)
  })

  it('is what other programs come to, now and in later versions', () => {
    // Checked with printf of the salt's bytes and '{"state":{"text":"é"}}' | sha256sum. The same for 32 zero
    // bytes with the format's number and the facts as JSON with sorted keys.
    const dataHash = hashData(SALT, { state: { text: 'é' } })
    expect(dataHash).toBe('043e64e70266f9bd567dc1520e2f8c383f259a8aa6e672c8e33f7a86449a61b2')
    expect(hashEvent(CHAIN_START, FACTS, dataHash)).toBe(
      '5316c45b695842ac7ec0fef9b8fa85a0c662457f40a95288f25ddbc9807fa0a9',
    )
  })

  it('is another one for each fact, the data and the event before', () => {
    const dataHash = hashData(SALT, {})
    const hash = hashEvent(CHAIN_START, FACTS, dataHash)
    const others = Object.keys(FACTS).map((name) =>
      hashEvent(CHAIN_START, { ...FACTS, [name]: 'another' }, dataHash),
    )
    others.push(hashEvent(hash, FACTS, dataHash), hashEvent(CHAIN_START, FACTS, hashData(SALT, [])))
    expect(new Set([hash, ...others]).size).toBe(others.length + 1)
  })

  it('does not depend on what else is known about it', () => {
    const traced = { ...FACTS, traceparent: '00-0-0-01', data: {} }
    expect(hashEvent(CHAIN_START, traced, CHAIN_START)).toEqual(hashEvent(CHAIN_START, FACTS, CHAIN_START))
  })
})
