import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { readJournal } from '@daybook/journal/read/read'
import { eraseEvents } from '@daybook/journal/testing/erase'
import { placeAt } from '@daybook/journal/testing/place-at'
import type { Command } from '@daybook/memory/commands'
import { CHAIN_START } from '@daybook/memory/event-hash'
import type { LinkedEvent } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { silentLogger } from '@daybook/runtime/logger'
import type { Bus } from '@daybook/transport/bus'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  createPositionSignal,
  ensurePosition,
  lockPosition,
  waitForPosition,
} from '../positions/positions.ts'
import { PositionMoved, type Projection, type ProjectionBatch } from '../projection.ts'
import { type RecordingProjection, recordingProjection } from '../testing/recording-projection.ts'
import { ATTEMPTS } from './apply-with-parking.ts'
import { countParked } from './parked-events.ts'
import { type Projector, startProjector } from './projector.ts'

const metadata = { actor: null, correlationId: null, causationId: null }
const remember = (text: string, id = newId()): Command => ({
  type: 'remember',
  id,
  input: { content: { kind: 'note', fields: { text } } },
})

/** A promise that the test settles. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

const START = { sequence: 0, hash: CHAIN_START }
const positionOf = async (projection: Projection, scope: ProjectScope) =>
  (await projection.position(scope)).sequence

/** Far longer than a test, so that the poll of the journal cannot be the cause of anything. */
const NEVER = 3_600_000

describe.each(TEST_DATABASES)('a projector on $name', ({ start, severalSessions }) => {
  let database: TestDatabase
  let events: LinkedEvent[]
  const projectors: Projector[] = []
  const writer = createJournalWriter((_, committed) => events.push(...(committed as LinkedEvent[])))
  beforeAll(async () => {
    database = await start()
  })
  const stopProjectors = () => Promise.all(projectors.splice(0).map((projector) => projector.stop()))
  afterEach(stopProjectors)
  afterAll(() => database?.stop())

  const nextName = () => `test-${newId()}`

  /** A project with these events in its journal; nothing is published. */
  async function journalOf(...commands: Command[]): Promise<ProjectScope> {
    events = []
    const scope = await database.newProject()
    await append(scope, ...commands)
    return scope
  }
  async function append(scope: ProjectScope, ...commands: Command[]) {
    const outcomes = await writer.appendMany(
      scope,
      commands.map((command) => ({ command, metadata })),
    )
    for (const outcome of outcomes) if ('error' in outcome) throw outcome.error
  }

  /** @returns functions to publish what the test wants, and to wait until a sequence is applied */
  function run(projection: Projection, { pollMs = NEVER } = {}) {
    const bus: Bus = createInProcessBus()
    const signal = createPositionSignal()
    projectors.push(
      startProjector({ db: database.db, projection, bus, signal, logger: silentLogger, pollMs }),
    )
    return {
      publish: (scope: ProjectScope, ...published: (LinkedEvent | undefined)[]) =>
        bus.publish(
          scope.projectId,
          published.filter((event) => event !== undefined),
        ),
      until: async (scope: ProjectScope, sequence: number) =>
        expect(await waitForPosition(() => positionOf(projection, scope), sequence, signal, 240_000)).toBe(
          sequence,
        ),
    }
  }
  const appliedIn = (projection: RecordingProjection, { projectId }: ProjectScope) =>
    projection.applied.filter((event) => event.projectId === projectId).map(({ sequence }) => sequence)
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

  it('applies projects side by side where there are several sessions, else one after the other', async () => {
    const scopes = [await journalOf(remember('one')), await journalOf(remember('another'))]
    const sideBySide = deferred()
    let [within, most] = [0, 0]
    const projection = recordingProjection(nextName(), async () => {
      within += 1
      most = Math.max(most, within)
      if (within === 2) sideBySide.resolve()
      if (severalSessions) await sideBySide.promise
      within -= 1
    })
    const { until } = run(projection)
    for (const scope of scopes) await until(scope, 1)
    if (severalSessions) expect(most).toBeGreaterThan(1)
    else expect(most).toBe(1)
  })

  it('applies what the journal has when it starts, in sequence, a hundred at a time', async () => {
    const scope = await journalOf(...upTo(250).map((n) => remember(`note ${n}`)))
    const projection = recordingProjection(nextName())
    await run(projection).until(scope, 250)
    expect(appliedIn(projection, scope)).toEqual(upTo(250))
    expect(projection.batches.filter(({ to }) => to === 100 || to === 200 || to === 250)).toHaveLength(3)
  })

  it('hears of new events over the bus', async () => {
    const scope = await journalOf(remember('first'))
    const projection = recordingProjection(nextName())
    const { publish, until } = run(projection)
    await until(scope, 1)
    await append(scope, remember('second'), remember('third'))
    publish(scope, events[1], events[2])
    await until(scope, 3)
    expect(appliedIn(projection, scope)).toEqual([1, 2, 3])
  })

  it('skips what it has applied, however often the bus repeats it', async () => {
    const scope = await journalOf(remember('first'), remember('second'))
    const projection = recordingProjection(nextName())
    const { publish, until } = run(projection)
    await until(scope, 2)
    publish(scope, ...events, ...events)
    await append(scope, remember('third'))
    publish(scope, events[0], events[2], events[2], events[1])
    await until(scope, 3)
    publish(scope, ...events)
    await append(scope, remember('fourth'))
    publish(scope, events[3])
    await until(scope, 4)
    expect(appliedIn(projection, scope)).toEqual([1, 2, 3, 4])
  })

  it('fills a hole on the bus from the journal', async () => {
    const scope = await journalOf(remember('first'))
    const projection = recordingProjection(nextName())
    const { publish, until } = run(projection)
    await until(scope, 1)
    await append(scope, ...upTo(5).map((n) => remember(`later ${n}`)))
    publish(scope, events[5])
    await until(scope, 6)
    expect(appliedIn(projection, scope)).toEqual(upTo(6))
  })

  it('finds by itself what the bus never brought', async () => {
    const scope = await journalOf(remember('first'))
    const projection = recordingProjection(nextName())
    const { until } = run(projection, { pollMs: 50 })
    await until(scope, 1)
    await append(scope, remember('second'))
    await until(scope, 2)
    expect(appliedIn(projection, scope)).toEqual([1, 2])
  })

  it.each(['onComing', 'onApplied', 'moved'] as const)('goes on where %s throws', async (stage) => {
    const scope = await journalOf(remember('first'))
    const projection = recordingProjection(nextName())
    const fail = () => {
      throw new TypeError('a fault in one event')
    }
    const bus = createInProcessBus()
    const signal = createPositionSignal()
    projectors.push(
      startProjector({
        db: database.db,
        projection,
        bus,
        logger: silentLogger,
        pollMs: 20,
        signal: stage === 'moved' ? { ...signal, moved: fail } : signal,
        ...(stage !== 'moved' && { [stage]: fail }),
      }),
    )
    for (const text of ['second', 'third']) {
      await append(scope, remember(text))
      await bus.publish(scope.projectId, events.slice(-1))
    }
    await vi.waitUntil(() => appliedIn(projection, scope).length === 3)
    expect(appliedIn(projection, scope)).toEqual([1, 2, 3])
  })

  it('ends up the same whatever the bus loses, repeats and reorders', async () => {
    const scope = await journalOf(remember('first'))
    const projection = recordingProjection(nextName())
    const { publish, until } = run(projection, { pollMs: 200 })
    let state = 42
    const random = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % below
    for (let round = 0; round < 20; round += 1) {
      await append(scope, ...upTo(1 + random(8)).map((n) => remember(`round ${round} note ${n}`)))
      for (const event of events.toSorted(() => random(3) - 1)) if (random(3) > 0) publish(scope, event)
    }
    await until(scope, events.length)
    expect(appliedIn(projection, scope)).toEqual(upTo(events.length))
  })

  it('does not let a project with a long way to go keep another waiting', async () => {
    const long = await journalOf(...upTo(500).map((n) => remember(`note ${n}`)))
    const other = await journalOf(remember('one'))
    const projection = recordingProjection(nextName())
    const { until } = run(projection)
    await until(long, 500)
    await until(other, 1)
    // Projects of the tests before take turns, too.
    const both = new Set([long.projectId, other.projectId])
    const order = projection.applied.map(({ projectId }) => projectId).filter((id) => both.has(id))
    expect(order.indexOf(other.projectId)).toBeLessThanOrEqual(order.indexOf(long.projectId) + 100)
  })

  it('acknowledges news once the position has reached them, and gives them back when it stops', async () => {
    const scope = await journalOf(remember('first'), remember('second'))
    const [begun, held] = [deferred(), deferred()]
    const projection = recordingProjection(nextName(), () => {
      begun.resolve()
      return held.promise
    })
    const ends: string[] = []
    const bus: Bus = {
      ...createInProcessBus(),
      consume(_, handle) {
        const deliver = (sequence: number) =>
          handle({
            projectId: scope.projectId,
            sequence,
            hash: null,
            events: events.slice(0, sequence),
          }).then(
            () => ends.push(`${sequence} acknowledged`),
            () => ends.push(`${sequence} given back`),
          )
        void deliver(1)
        void deliver(2)
        void deliver(3)
        return { stop: async () => {} }
      },
    }
    const projector = startProjector({
      db: database.db,
      projection,
      bus,
      signal: createPositionSignal(),
      logger: silentLogger,
      pollMs: NEVER,
    })
    await begun.promise
    expect(ends).toEqual([])
    held.resolve()
    await vi.waitUntil(() => ends.length === 2)
    expect(ends).toEqual(['1 acknowledged', '2 acknowledged'])
    await projector.stop()
    await vi.waitUntil(() => ends.length === 3)
    expect(ends[2]).toBe('3 given back')
  })

  // The embedded database has one session, so nobody else can be at work.
  if (severalSessions)
    it('leaves a project alone at which another replica is at work, and goes on with the others', async () => {
      const [busy, free] = [await journalOf(remember('one')), await journalOf(remember('other'))]
      const projection = recordingProjection(nextName())
      const done = deferred()
      const locked = deferred()
      await ensurePosition(database.db, projection, busy.projectId)
      const replica = database.db.transaction().execute(async (trx) => {
        await lockPosition(trx, projection, busy.projectId, { from: START, to: await placeAt(busy, 1) })
        locked.resolve()
        await done.promise
      })
      await locked.promise
      const { until } = run(projection)
      await until(free, 1)
      expect(appliedIn(projection, busy)).toEqual([])
      done.resolve()
      await replica
      await until(busy, 1)
    })

  it('two at once apply nothing twice', async () => {
    const scope = await journalOf(...upTo(30).map((n) => remember(`note ${n}`)))
    const name = nextName()
    const one = recordingProjection(name)
    const other = recordingProjection(name)
    const [first, second] = [run(one, { pollMs: 20 }), run(other, { pollMs: 20 })]
    for (let round = 0; round < 10; round += 1) {
      await append(scope, ...upTo(5).map((n) => remember(`round ${round} note ${n}`)))
      first.publish(scope, ...events.slice(-5))
      second.publish(scope, ...events.slice(-5))
    }
    await first.until(scope, 80)
    // Noted after the commit, in whose position the end is seen.
    await vi.waitFor(() =>
      expect([...appliedIn(one, scope), ...appliedIn(other, scope)].toSorted((a, b) => a - b)).toEqual(
        upTo(80),
      ),
    )
  })

  it('does not read the position that it reached itself while events follow it', async () => {
    const scope = await journalOf(remember('first'))
    const recording = recordingProjection(nextName())
    let reads = 0
    const position: Projection['position'] = (of) => {
      if (of.projectId === scope.projectId) reads += 1
      return recording.position(of)
    }
    const { publish } = run({ ...recording, position })
    const untilApplied = (count: number) => vi.waitUntil(() => appliedIn(recording, scope).length === count)
    await untilApplied(1)
    // It begins once it has seen that nothing is parked, a moment after the first event.
    for (let count = 2, before = 0; reads !== before; count += 1) {
      before = reads
      await append(scope, remember(`note ${count}`))
      publish(scope, events.at(-1))
      await untilApplied(count)
      expect(count).toBeLessThan(10)
    }
  })

  it('reads the position again where another replica moved it, and applies nothing twice', async () => {
    const scope = await journalOf(remember('first'))
    const name = nextName()
    const [one, other] = [recordingProjection(name), recordingProjection(name)]
    const { publish, until } = run(one)
    await until(scope, 1)
    await append(scope, remember('second'))
    publish(scope, events[1])
    await until(scope, 2)
    await append(scope, remember('third'), remember('fourth'))
    const [, second, third, fourth] = events
    if (second === undefined || third === undefined) throw new Error('there are four')
    await other.apply(scope, { from: second, to: third, events: [third], parked: [], erased: [] })
    // It follows the position that the first one expects, but not the one that is.
    publish(scope, third, fourth)
    await until(scope, 4)
    expect([appliedIn(one, scope), appliedIn(other, scope)]).toEqual([[1, 2, 4], [3]])
  })

  it('holds back a later event of a memory whose event another replica has parked', async () => {
    const memory = newId()
    const scope = await journalOf(remember('first'))
    const name = nextName()
    const [one, other] = [recordingProjection(name), recordingProjection(name)]
    const { publish, until } = run(one)
    await until(scope, 1)
    await append(scope, remember('parked', memory))
    await append(scope, {
      type: 'revise',
      id: memory,
      input: { content: { kind: 'note', fields: { text: 'held back' } } },
    })
    const [first, second, third] = events
    if (first === undefined || second === undefined) throw new Error('there are three')
    const parked = [{ sequence: 2, memoryId: memory, error: 'poison', attempts: ATTEMPTS }]
    await other.apply(scope, { from: first, to: second, events: [], parked, erased: [] })
    publish(scope, third)
    await until(scope, 3)
    expect(appliedIn(one, scope)).toEqual([1])
    expect(await countParked(scope, one)).toBe(2)
  })

  it('the slower of two finds the position moved and changes nothing', async () => {
    const scope = await journalOf(remember('first'), remember('second'))
    const name = nextName()
    const [one, other] = [recordingProjection(name), recordingProjection(name)]
    const [first, second] = events
    if (first === undefined || second === undefined) throw new Error('there are two')
    const batch: ProjectionBatch = { from: START, to: second, events, parked: [], erased: [] }
    await one.apply(scope, batch)
    await expect(other.apply(scope, batch)).rejects.toThrow(PositionMoved)
    await expect(other.apply(scope, { ...batch, from: first })).rejects.toThrow(PositionMoved)
    expect(await positionOf(other, scope)).toBe(2)
    expect(other.applied).toEqual([])
  })

  it('a batch that is killed before its commit leaves nothing and is applied whole later', async () => {
    const scope = await journalOf(remember('first'), remember('second'))
    const name = nextName()
    const killed = recordingProjection(name, () => {
      throw new Error('killed')
    })
    await expect(
      killed.apply(scope, { from: START, to: await placeAt(scope, 2), events, parked: [], erased: [] }),
    ).rejects.toThrow('killed')
    expect(await positionOf(killed, scope)).toBe(0)
    const projection = recordingProjection(name)
    await run(projection).until(scope, 2)
    expect(appliedIn(projection, scope)).toEqual([1, 2])
  })

  describe('where an event cannot be applied', () => {
    const bad = newId()
    const throwsFor =
      (text: string, error = () => new Error('it cannot be applied')) =>
      (batch: ProjectionBatch) => {
        if (batch.events.some((event) => JSON.stringify(event.data).includes(text))) throw error()
      }

    it('tries it again with growing delays, parks it with later events of its memory, and goes on with all others', async () => {
      const scope = await journalOf(
        ...upTo(40).map((n) => remember(`note ${n}`)),
        remember('poison', bad),
        ...upTo(40).map((n) => remember(`note after ${n}`)),
        { type: 'revise', id: bad, input: { importance: 9 } },
      )
      const projection = recordingProjection(nextName(), throwsFor('poison'))
      const { until } = run(projection)
      await until(scope, 82)
      expect(appliedIn(projection, scope)).toEqual(
        upTo(82).filter((sequence) => sequence !== 41 && sequence !== 82),
      )
      expect(projection.parked).toEqual([
        { sequence: 41, memoryId: bad, error: 'it cannot be applied', attempts: ATTEMPTS },
        { sequence: 82, memoryId: bad, error: 'an earlier event of this memory is parked', attempts: 0 },
      ])
      expect(projection.batches.filter(({ from, to, ok }) => from === 40 && to === 41 && !ok)).toHaveLength(
        ATTEMPTS,
      )
      // Halving takes far fewer transactions than events. On a busy machine one may run into a time limit and be made again.
      const ranges = new Set(projection.batches.map(({ from, to }) => `${from}-${to}`))
      expect(ranges.size).toBeLessThan(40)
    })

    it('later events of its memory wait in later batches, too', async () => {
      const scope = await journalOf(remember('poison', bad))
      const projection = recordingProjection(nextName(), throwsFor('poison'))
      const { until } = run(projection, { pollMs: 50 })
      await until(scope, 1)
      await append(scope, {
        type: 'revise',
        id: bad,
        input: { content: { kind: 'note', fields: { text: 'good' } } },
      })
      await append(scope, remember('another'))
      await until(scope, 3)
      expect(appliedIn(projection, scope)).toEqual([3])
      expect(await countParked(scope, projection)).toBe(2)
    })

    it('one that is only now and then not applied is not parked', async () => {
      const scope = await journalOf(remember('first'), remember('moody'), remember('third'))
      let failures = 0
      const projection = recordingProjection(nextName(), (batch) => {
        if (failures < 4 && batch.events.some(({ sequence }) => sequence === 2)) {
          failures += 1
          throw new Error('not now')
        }
      })
      await run(projection).until(scope, 3)
      expect(appliedIn(projection, scope)).toEqual([1, 2, 3])
      expect(projection.parked).toEqual([])
    })

    it('one that this version cannot read is parked at once', async () => {
      const scope = await journalOf(remember('first'))
      await insertUnreadable(scope, { sequence: 2, type: 'MemoryTranscended' })
      await insertUnreadable(scope, { sequence: 3, type: 'MemoryRevised' })
      const projection = recordingProjection(nextName())
      await run(projection).until(scope, 3)
      expect(appliedIn(projection, scope)).toEqual([1])
      expect(projection.parked).toEqual([
        expect.objectContaining({
          sequence: 2,
          attempts: 1,
          error: expect.stringContaining('MemoryTranscended'),
        }),
        expect.objectContaining({ sequence: 3, attempts: 1, error: expect.stringContaining('data.state') }),
      ])
    })

    it('an erased one takes its memory away, and what is parked of it', async () => {
      const scope = await journalOf(remember('fine'), remember('poison', bad), remember('third'))
      await append(scope, { type: 'forget', id: bad })
      const [good] = await readJournal(scope, { after: 0, limit: 1 })
      const id = good?.memoryId ?? ''
      await append(scope, { type: 'forget', id }, { type: 'restore', id })
      const projection = recordingProjection(nextName(), throwsFor('poison'))
      await run(projection).until(scope, 6)
      expect(await countParked(scope, projection)).toBe(2)
      // The first would read what follows before it is erased.
      await stopProjectors()
      await append(scope, { type: 'forget', id }, { type: 'restore', id: bad }, remember('last'))
      await eraseEvents(database, scope.projectId, [2, 4, 7, 8])
      await run(projection).until(scope, 9)
      expect(projection.erased).toEqual(expect.arrayContaining([id, bad]))
      expect(await countParked(scope, projection)).toBe(0)
      expect(appliedIn(projection, scope)).toEqual([1, 3, 5, 6, 9])
    })

    it('an error text that no store can keep does not stop the parking', async () => {
      const scope = await journalOf(remember('poison'), remember('another'))
      const error = () => new Error(`a NUL \u0000, half an emoji \uD83C and a long tale ${'x'.repeat(1e6)}`)
      const projection = recordingProjection(nextName(), throwsFor('poison', error))
      await run(projection).until(scope, 2)
      const row = await database.db
        .selectFrom('parked_events')
        .select('error')
        .where('projection', '=', projection.name)
        .where('project_id', '=', scope.projectId)
        .executeTakeFirstOrThrow()
      expect(row.error).toMatch(/^a NUL/u)
      expect(row.error.length).toBeLessThanOrEqual(2_000)
    })

    it('nothing is parked because the database is unavailable', async () => {
      const scope = await journalOf(remember('first'), remember('second'))
      let down = true
      const projection = recordingProjection(nextName(), (batch) => {
        if (down && batch.events.length > 0)
          throw Object.assign(new Error('the server is shutting down'), { code: '57P01' })
      })
      const { until } = run(projection, { pollMs: 50 })
      await vi.waitUntil(() => projection.batches.length > ATTEMPTS + 3)
      expect(await positionOf(projection, scope)).toBe(0)
      down = false
      await until(scope, 2)
      expect(appliedIn(projection, scope)).toEqual([1, 2])
      expect(await countParked(scope, projection)).toBe(0)
    })

    it('a project that cannot be written does not keep another waiting', async () => {
      const broken = await journalOf(remember('broken'))
      const other = await journalOf(remember('fine'))
      const projection = recordingProjection(nextName(), (batch) => {
        if (batch.events.some(({ projectId }) => projectId === broken.projectId))
          throw Object.assign(new Error('data corrupted'), { code: 'XX001' })
      })
      await run(projection).until(other, 1)
      expect(await positionOf(projection, broken)).toBe(0)
    })

    /** Writes as the journal's owner, like a newer Daybook, or damage. */
    async function insertUnreadable(
      { projectId }: ProjectScope,
      { sequence, type }: { sequence: number; type: string },
    ) {
      const insert = sql`
        with head as (update daybook.journal_heads set sequence = ${sequence} where project_id = ${projectId})
        insert into daybook.events (project_id, sequence, event_id, memory_id, version, type, schema_version, data,
          recorded_at, data_salt, data_hash, hash)
        values (${projectId}, ${sequence}, ${newId()}, ${newId()}, 1, ${type}, 1, '{}', now(),
          decode(repeat('00', 16), 'hex'), '', '')`
      await asOwner(database, (trx) => insert.execute(trx))
    }
  })

  it('stops at once while it waits, and after the batch while it works', async () => {
    const scope = await journalOf(...upTo(5).map((n) => remember(`note ${n}`)))
    const stop = () => Promise.all(projectors.splice(0).map((projector) => projector.stop()))
    await run(recordingProjection(nextName())).until(scope, 5)
    await stop()
    const [begun, held] = [deferred(), deferred()]
    const working = recordingProjection(nextName(), async (batch) => {
      if (batch.events[0]?.projectId !== scope.projectId) return
      begun.resolve()
      await held.promise
    })
    run(working)
    await begun.promise
    const stopped = stop()
    expect(appliedIn(working, scope)).toEqual([])
    held.resolve()
    await stopped
    expect(appliedIn(working, scope)).toEqual(upTo(5))
  })
})
