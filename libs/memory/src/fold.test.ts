import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Command } from './commands.ts'
import { decide } from './decide.ts'
import { DaybookError } from './errors.ts'
import type { JournalEvent } from './events.ts'
import { fold } from './events.ts'
import type { Memory } from './state.ts'

const IDS = ['01920000-0000-7000-8000-000000000001', '01920000-0000-7000-8000-000000000002']

const words = fc.constantFrom('a', 'b', 'c', 'd', '😀', '', null, undefined)
const input = fc.record(
  {
    content: fc.record({ kind: fc.constant('insight'), fields: fc.record({ content: words, key: words }) }),
    labels: fc.constantFrom(['a'], ['a', 'b'], [], null),
    importance: fc.constantFrom(0, -0, 5, 10, 11, null),
    metadata: fc.constantFrom({}, { n: 1 }, { n: -0 }, null),
  },
  { requiredKeys: ['content'] },
)
const version = fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined, freq: 1 })
const defined = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const command = fc
  .record({
    id: fc.constantFrom(...IDS),
    type: fc.constantFrom('remember', 'revise', 'revise', 'forget', 'restore'),
    input,
    version,
    expectedVersion: version,
  })
  .map(({ type, id, input: given, version: to, expectedVersion }): Command => {
    if (type === 'remember') return { type, id, input: given }
    if (type === 'revise') return { type, id, input: given, ...defined({ expectedVersion }) }
    if (type === 'forget') return { type, id, ...defined({ expectedVersion }) }
    return { type: 'restore', id, ...defined({ version: to, expectedVersion }) }
  })

/** Runs the commands as the journal does, and remembers each resulting state. */
function run(commands: readonly Command[]): { events: JournalEvent[]; memories: Map<string, Memory> } {
  const events: JournalEvent[] = []
  const memories = new Map<string, Memory>()
  for (const [index, one] of commands.entries()) {
    const before = memories.get(one.id) ?? null
    if (one.type === 'remember' && before !== null) continue
    const wanted = one.type === 'restore' ? one.version : undefined
    const earlier = events.find((event) => event.memoryId === one.id && event.version === wanted)
    const now = new Date(Date.UTC(2026, 4, 1) + index).toISOString()
    try {
      const made = decide(one, { memory: before, earlier: earlier?.data.state ?? null, now })
      if (made === null) continue
      const sequence = events.length + 1
      const cause = { actor: null, correlationId: null, causationId: null }
      const event = {
        ...made,
        ...cause,
        projectId: 'p',
        sequence,
        eventId: `e${sequence}`,
        hash: `${sequence}`,
        recordedAt: now,
      }
      events.push(event)
      memories.set(one.id, { state: made.data.state, version: made.version, sequence })
    } catch (error) {
      if (!(error instanceof DaybookError)) throw error
    }
  }
  return { events, memories }
}

const remembered = IDS.map((id): Command => {
  return { type: 'remember', id, input: { content: { kind: 'insight', fields: { content: 'first' } } } }
})
const runs = fc
  .array(command, { minLength: 10, maxLength: 40 })
  .map((commands) => run([...remembered, ...commands]))

describe('folding events', () => {
  it('gives the states that the decisions worked with', () => {
    let kept = 0
    fc.assert(
      fc.property(runs, ({ events, memories }) => {
        kept += events.length
        expect(fold(events)).toEqual(memories)
      }),
    )
    expect(kept).toBeGreaterThan(500)
  })

  it('gives the same from events in any order, and after a trip through JSON', () => {
    fc.assert(
      fc.property(
        runs.chain(({ events, memories }) =>
          fc.tuple(fc.shuffledSubarray(events, { minLength: events.length }), fc.constant(memories)),
        ),
        ([events, memories]) => {
          expect(fold(JSON.parse(JSON.stringify(events)) as JournalEvent[])).toEqual(memories)
        },
      ),
    )
  })

  it('finds versions 1 to n of each memory, and what changed says how each differs from the one before', () => {
    fc.assert(
      fc.property(runs, ({ events }) => {
        for (const id of IDS) {
          const own = events.filter((event) => event.memoryId === id)
          expect(own.map((event) => event.version)).toEqual(own.map((_, index) => index + 1))
          for (const event of own) {
            expect(event.data.changed.length).toBeGreaterThan(0)
            expect(event.data.state.createdAt).toBe(own[0]?.recordedAt)
            expect(event.data.state.updatedAt).toBe(event.recordedAt)
          }
        }
      }),
    )
  })

  it('of nothing is nothing', () => {
    expect(fold([])).toEqual(new Map())
  })
})
