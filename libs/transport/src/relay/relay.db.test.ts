import { appendOne, createJournalWriter } from '@daybook/journal/append/journal-writer'
import { importJournal } from '@daybook/journal/import/import-journal'
import { appendAsAnother } from '@daybook/journal/testing/append-as-another'
import { eraseEvents } from '@daybook/journal/testing/erase'
import { bytesOf, exported } from '@daybook/journal/testing/exports'
import { loseTail } from '@daybook/journal/testing/lose-tail'
import { placeAt } from '@daybook/journal/testing/place-at'
import { note } from '@daybook/journal/testing/requests'
import type { RememberInput } from '@daybook/memory/commands'
import { UnavailableError } from '@daybook/memory/errors'
import type { JournalCursor, LinkedEvent } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import { createLogger, silentLogger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Bus, PublishedEntry } from '../bus.ts'
import { createInProcessBus } from '../in-process/in-process-bus.ts'
import { type Relay, type RelayOptions, readBacklog, startRelay } from './relay.ts'
import { findUnpublished } from './relay-positions.ts'

/** Far longer than a test: what happens before then is not due to a poll of the journal. */
const NEVER = 1_800_000

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index)

describe.each(TEST_DATABASES)('a relay on $name', ({ start, severalSessions }) => {
  let database: TestDatabase
  const relays: Relay[] = []
  /** Committed events, until a test takes them. */
  const heard: LinkedEvent[] = []
  beforeAll(async () => {
    database = await start()
  })
  afterEach(async () => {
    await Promise.all(relays.splice(0).map((relay) => relay.stop()))
    // The next test's relay would find what this one left unpublished.
    await sql`
      insert into relay_positions (project_id, published, hash) select project_id, sequence, hash from journal_heads
      on conflict (project_id) do update set published = excluded.published, hash = excluded.hash, lease_owner = null, leased_until = null`.execute(
      database.db,
    )
  })
  afterAll(() => database?.stop())

  /** A bus that records what was published, and can be told to refuse or to wait. */
  function recordingBus(before: (projectId: string, attempt: number) => Promise<void> | void = () => {}) {
    const inner = createInProcessBus()
    const published = new Map<string, number[]>()
    let attempts = 0
    const bus: Bus = {
      ...inner,
      async publish(projectId, events) {
        attempts += 1
        await before(projectId, attempts)
        const sequences = published.get(projectId) ?? []
        published.set(projectId, sequences)
        sequences.push(...events.map(({ sequence }) => sequence))
      },
    }
    return {
      bus,
      of: ({ projectId }: ProjectScope) => published.get(projectId) ?? [],
      attempts: () => attempts,
    }
  }

  function run(bus: Bus, more: Partial<RelayOptions> = {}): Relay {
    const long = { pollMs: NEVER, leaseMs: NEVER, historyMs: NEVER }
    const relay = startRelay({ db: database.db, bus, logger: silentLogger, ...long, ...more })
    relays.push(relay)
    return relay
  }

  /** Appends notes and tells these relays about them. */
  async function append(scope: ProjectScope, count: number, ...hearing: Relay[]): Promise<void> {
    const writer = createJournalWriter((projectId, events) => {
      heard.push(...(events as LinkedEvent[]))
      for (const relay of hearing) relay.committed(projectId, events)
    })
    const requests = Array.from({ length: count }, (_, index) => note(`note ${index}`))
    for (const outcome of await writer.appendMany(scope, requests))
      if ('error' in outcome) throw outcome.error
  }

  const untilPublished = (relay: Relay, scope: ProjectScope, sequence: number) =>
    vi.waitUntil(async () => (await relay.published(scope)) >= sequence, { interval: 5 })

  const row = async ({ projectId }: ProjectScope) =>
    (
      await sql<{ published: number; lease_owner: string | null }>`
      select published, lease_owner from relay_positions where project_id = ${projectId}`.execute(database.db)
    ).rows[0]

  const readPublishedPlace = async ({ projectId }: ProjectScope) =>
    (
      await sql<JournalCursor>`
        select published as sequence, encode(hash, 'hex') as hash from relay_positions
        where project_id = ${projectId}`.execute(database.db)
    ).rows[0]

  /** The state that a killed relay leaves. */
  async function deadHolder(scope: ProjectScope, published: number, leaseSeconds: number): Promise<void> {
    await sql`
      insert into relay_positions (project_id, published, hash, lease_owner, leased_until)
      values (${scope.projectId}, ${published}, decode(${(await placeAt(scope, published)).hash}, 'hex'), 'dead', clock_timestamp() + make_interval(secs => ${leaseSeconds}::float8))
      `.execute(database.db)
  }

  /** Works while another session has the project's row locked; `takeOver` gives the lease to another relay. */
  const whileLocked = (scope: ProjectScope, work: (takeOver: () => Promise<void>) => Promise<void>) =>
    database.db.transaction().execute(async (trx) => {
      await sql`select from relay_positions where project_id = ${scope.projectId} for update`.execute(trx)
      await work(async () => {
        await sql`
          update relay_positions set lease_owner = 'other', leased_until = clock_timestamp() + interval '1 hour'
          where project_id = ${scope.projectId}`.execute(trx)
      })
    })

  it('publishes the places of events that it cannot read, and of erased ones', async () => {
    const scope = await database.newProject()
    await append(scope, 2)
    const { hash } = await appendAsAnother(scope, { type: 'MemoryDreamt', data: { of: 'sheep' } })
    await append(scope, 1)
    await eraseEvents(database, scope.projectId, [1])
    const bus = createInProcessBus()
    const news: string[] = []
    bus.subscribe(({ projectId, sequence, events }) => {
      if (projectId === scope.projectId) news.push(`${sequence} with ${events.length}`)
    })
    const places: PublishedEntry[] = []
    const publish: Bus['publish'] = (projectId, published) => {
      if (projectId === scope.projectId) places.push(...published)
      return bus.publish(projectId, published)
    }
    await untilPublished(run({ ...bus, publish }), scope, 4)
    expect(news).toEqual(['1 with 0', '2 with 1', '3 with 0', '4 with 1'])
    expect(places[2]).toMatchObject({
      sequence: 3,
      hash,
      previousHash: places[1]?.hash,
      type: 'MemoryDreamt',
    })
  })

  it('publishes what is committed, in order, without looking at the journal', async () => {
    const scope = await database.newProject()
    const { bus, of } = recordingBus()
    const relay = run(bus)
    await untilIdle(relay, scope)
    for (let round = 0; round < 10; round += 1) await append(scope, 3, relay)
    await untilPublished(relay, scope, 30)
    expect(of(scope)).toEqual(upTo(30))
    await vi.waitUntil(async () => (await row(scope))?.lease_owner === null)
    expect(await row(scope)).toEqual({ published: 30, lease_owner: null })
  })

  if (severalSessions)
    it('publishes with a lease that it has without asking the database', async () => {
      const scope = await database.newProject()
      const { bus, of } = recordingBus()
      const relay = run(bus)
      let written = 0
      // On a busy machine the lease may be given back before the row is locked, which waits for the lock.
      for (let hasLease = false; !hasLease; ) {
        await append(scope, 3, relay)
        await vi.waitUntil(() => of(scope).length === written + 3, { interval: 1 })
        await whileLocked(scope, async () => {
          await append(scope, 3, relay)
          for (const end = Date.now() + 5_000; !hasLease && Date.now() < end; await pause(1))
            hasLease = of(scope).length === written + 6
        })
        written += 6
        await untilPublished(relay, scope, written)
      }
      expect(of(scope)).toEqual(upTo(written))
    })

  if (severalSessions)
    it('does not publish with a lease that may have run out', async () => {
      const scope = await database.newProject()
      const { bus, of, attempts } = recordingBus()
      const leaseMs = 300
      const relay = run(bus, { leaseMs })
      await append(scope, 3, relay)
      await vi.waitUntil(() => of(scope).length === 3)
      await whileLocked(scope, async (takeOver) => {
        // The relay cannot renew its lease; longer than the lease, by its own clock.
        await pause(leaseMs + 50)
        await append(scope, 3, relay)
        await takeOver()
      })
      await vi.waitUntil(async () => (await row(scope))?.lease_owner === 'other')
      await append(scope, 1, relay)
      await relay.stop()
      expect(attempts()).toBe(1)
      expect(await row(scope)).toMatchObject({ lease_owner: 'other' })
    })

  it('publishes what another process commits once a project is quiet, long before its lease ends', async () => {
    const scope = await database.newProject()
    const [one, other] = [recordingBus(), recordingBus()]
    const [first, second] = [run(one.bus), run(other.bus)]
    await append(scope, 3, first)
    await untilPublished(first, scope, 3)
    await append(scope, 3, second)
    await untilPublished(second, scope, 6)
    // By the first one as it releases the lease, or by the second one after that, which may have published all of it.
    const published = [one.of(scope), other.of(scope)]
    expect(published.flat().toSorted((a, b) => a - b)).toEqual(upTo(6))
    for (const by of published) expect(by).toEqual(by.toSorted((a, b) => a - b))
  })

  it('publishes what another process commits in between, in order, and then shares the project', async () => {
    const scope = await database.newProject()
    const { bus, of } = recordingBus()
    const relay = run(bus)
    await append(scope, 3, relay)
    await vi.waitUntil(() => of(scope).length === 3)
    await append(scope, 2)
    await append(scope, 1, relay)
    await untilPublished(relay, scope, 6)
    expect(of(scope)).toEqual(upTo(6))
    await append(scope, 1, relay)
    await untilPublished(relay, scope, 7)
    // Saved and released by one statement at the end of its turn, which begins only once the bus has all of it.
    await vi.waitUntil(async () => (await row(scope))?.lease_owner === null)
    expect(await row(scope)).toEqual({ published: 7, lease_owner: null })
  })

  it('finds what was committed without a word, more than one batch and one turn of it', async () => {
    const scope = await database.newProject()
    await append(scope, 2_600)
    const { bus, of } = recordingBus()
    const relay = run(bus)
    await untilPublished(relay, scope, 2_600)
    expect(of(scope)).toEqual(upTo(2_600))
  })

  it('looks at all projects in its turn only, unless the last look is old or from a clock that was ahead', async () => {
    const { db } = database
    const lookedAt = (when: string) =>
      sql`update relay_looks set looked_at = now() + ${when}::interval`.execute(db)
    const scope = await database.newProject()
    await append(scope, 1)
    expect((await findUnpublished(db, 0))?.behind).toContain(scope.projectId)
    expect(await findUnpublished(db, 60_000)).toBeNull()
    for (const when of ['-2 minutes', '50 seconds', '1 day']) {
      await lookedAt(when)
      const looks = await Promise.all(Array.from({ length: 4 }, () => findUnpublished(db, 60_000)))
      expect(looks.filter((look) => look !== null)).toHaveLength(1)
    }
  })

  it('takes the place of the one that looked for all, once that is gone', async () => {
    const scope = await database.newProject()
    const { bus, of } = recordingBus()
    const first = run(bus, { pollMs: 20, leaseMs: 60 })
    const second = run(bus, { pollMs: 20, leaseMs: 60 })
    await append(scope, 1)
    await untilPublished(second, scope, 1)
    await first.stop()
    await append(scope, 1)
    await untilPublished(second, scope, 2)
    expect(new Set(of(scope))).toEqual(new Set([1, 2]))
  })

  it('leaves the looks to others while it cannot publish', async () => {
    const { db } = database
    const scope = await database.newProject()
    const { bus, attempts } = recordingBus(() => {
      throw new UnavailableError('no bus')
    })
    const relay = run(bus, { pollMs: 20 })
    await append(scope, 1, relay)
    await vi.waitUntil(() => attempts() >= 2)
    await sql`update relay_looks set looked_at = '2020-01-01'`.execute(db)
    const before = attempts()
    await vi.waitUntil(() => attempts() >= before + 3)
    const { rows } = await sql<{
      old: boolean
    }>`select looked_at = '2020-01-01' as old from relay_looks`.execute(db)
    expect(rows).toEqual([{ old: true }])
  })

  it('publishes many projects, each in its order', async () => {
    const scopes = await Promise.all(Array.from({ length: 30 }, () => database.newProject()))
    const { bus, of } = recordingBus()
    const relay = run(bus)
    await Promise.all(scopes.map((scope) => append(scope, 5, relay)))
    await Promise.all(scopes.map((scope) => append(scope, 5, relay)))
    for (const scope of scopes) await untilPublished(relay, scope, 10)
    expect(scopes.map(of)).toEqual(scopes.map(() => upTo(10)))
  })

  it('takes over what a dead relay left, once its lease lapsed, and repeats what it had not saved', async () => {
    const scope = await database.newProject()
    await append(scope, 6)
    // It published 1 to 5, saved up to 2, and was killed.
    await deadHolder(scope, 2, 1)
    const { bus, of } = recordingBus(async () => {
      const { rows } = await sql<{ lapsed: boolean }>`
        select clock_timestamp() > (select leased_until from relay_positions where project_id = ${scope.projectId})
          or (select lease_owner <> 'dead' from relay_positions where project_id = ${scope.projectId}) as lapsed`.execute(
        database.db,
      )
      expect(rows[0]?.lapsed).toBe(true)
    })
    const relay = run(bus, { pollMs: 50 })
    await untilPublished(relay, scope, 6)
    expect(of(scope)).toEqual(upTo(6, 3))
  })

  it('leaves a project alone while another has its lease', async () => {
    const [held, free] = [await database.newProject(), await database.newProject()]
    await deadHolder(held, 0, 3_600)
    const { bus, of } = recordingBus()
    const relay = run(bus, { pollMs: 10 })
    await append(held, 3, relay)
    await append(free, 3, relay)
    await untilPublished(relay, free, 3)
    expect(of(held)).toEqual([])
    expect(await row(held)).toEqual({ published: 0, lease_owner: 'dead' })
  })

  it('does not move a position of which it lost the lease while it published', async () => {
    const scope = await database.newProject()
    const { bus, attempts } = recordingBus(async (projectId) => {
      await sql`
        update relay_positions set lease_owner = 'other', leased_until = clock_timestamp() + interval '1 hour'
        where project_id = ${projectId}`.execute(database.db)
    })
    const relay = run(bus, { pollMs: 10 })
    await append(scope, 3, relay)
    await vi.waitUntil(() => attempts() > 0)
    await relay.stop()
    expect(await row(scope)).toEqual({ published: 0, lease_owner: 'other' })
    expect(attempts()).toBe(1)
  })

  it('takes over at once from a dead relay whose lease was taken while the clock was ahead', async () => {
    const scope = await database.newProject()
    await append(scope, 3)
    await deadHolder(scope, 1, 70 * 365 * 86_400)
    const { bus, of } = recordingBus()
    const relay = run(bus, { pollMs: 10 })
    await untilPublished(relay, scope, 3)
    expect(of(scope)).toEqual(upTo(3, 2))
  })

  it('gives its lease up when it stops', async () => {
    const scope = await database.newProject()
    let goOn = () => {}
    const { bus, attempts } = recordingBus(() => new Promise<void>((resolve) => (goOn = resolve)))
    const relay = run(bus)
    await append(scope, 3, relay)
    await vi.waitUntil(() => attempts() === 1)
    await append(scope, 3, relay)
    const stopped = relay.stop()
    goOn()
    await stopped
    expect(await row(scope)).toMatchObject({ lease_owner: null })
  })

  it('keeps its lease for as long as publishing takes', async () => {
    const scope = await database.newProject()
    let goOn = () => {}
    const { bus, of, attempts } = recordingBus(() => new Promise<void>((resolve) => (goOn = resolve)))
    const leaseMs = 300
    const relay = run(bus, { leaseMs })
    const end = async () => {
      const { rows } = await sql<{ ms: number }>`
        select extract(epoch from leased_until)::float8 * 1000 as ms from relay_positions
        where project_id = ${scope.projectId} and lease_owner is not null`.execute(database.db)
      return rows[0]?.ms ?? 0
    }
    await append(scope, 3, relay)
    await vi.waitUntil(() => attempts() === 1)
    const firstEnd = await end()
    // Renewed again and again. Others leave a project alone that is leased, as another test here shows.
    await vi.waitUntil(async () => (await end()) > firstEnd + 3 * leaseMs)
    goOn()
    await untilPublished(relay, scope, 3)
    expect(of(scope)).toEqual([1, 2, 3])
  })

  it('publishes everything in order beside another relay', async () => {
    const scopes = await Promise.all(Array.from({ length: 4 }, () => database.newProject()))
    const published = new Map<string, number[]>()
    const recordingInto = (): Bus => ({
      ...createInProcessBus(),
      async publish(projectId, events) {
        const sequences = published.get(projectId) ?? []
        published.set(projectId, sequences)
        sequences.push(...events.map(({ sequence }) => sequence))
      },
    })
    const both = [run(recordingInto(), { pollMs: 20 }), run(recordingInto(), { pollMs: 20 })]
    // Each commit is reported to one of them, as if made in its process.
    for (let round = 0; round < 20; round += 1)
      await Promise.all(scopes.map((scope, index) => append(scope, 5, both[(round + index) % 2] as Relay)))
    for (const scope of scopes) await untilPublished(both[0] as Relay, scope, 100)
    for (const { projectId } of scopes) expect(published.get(projectId)).toEqual(upTo(100))
  })

  it('tries again without losing or repeating anything, and says once that the bus is unavailable', async () => {
    const scope = await database.newProject()
    const warn = vi.fn<() => void>()
    const logger = createLogger('test', 'silent')
    logger.warn = warn
    let away = true
    const { bus, of, attempts } = recordingBus(() => {
      if (away) throw new UnavailableError('NATS is unavailable')
    })
    const relay = run(bus, { logger })
    await append(scope, 700, relay)
    await vi.waitUntil(() => attempts() >= 3)
    await append(scope, 700, relay)
    expect(of(scope)).toEqual([])
    expect(warn).toHaveBeenCalledTimes(1)
    away = false
    await untilPublished(relay, scope, 1_400)
    expect(of(scope)).toEqual(upTo(1_400))
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('publishes the other projects where one is refused', async () => {
    const [refused, taken] = [await database.newProject(), await database.newProject()]
    const { bus, of } = recordingBus((projectId) => {
      if (projectId === refused.projectId) throw new UnavailableError('this one is too much')
    })
    const relay = run(bus)
    await append(refused, 3, relay)
    await append(taken, 3, relay)
    await untilPublished(relay, taken, 3)
    await append(taken, 3, relay)
    await untilPublished(relay, taken, 6)
    expect(of(taken)).toEqual(upTo(6))
    expect(of(refused)).toEqual([])
  })

  it('leaves out the history from before there was a relay', async () => {
    const scope = await database.newProject()
    await append(scope, 5)
    const { bus, of } = recordingBus()
    const relay = run(bus, { historyMs: 0 })
    await untilIdle(relay, scope, 5)
    await append(scope, 2, relay)
    await untilPublished(relay, scope, 7)
    expect(of(scope)).toEqual([6, 7])
  })

  it('leaves out what an import brought, and publishes what is appended after it', async () => {
    const scope = await database.newProject()
    const { projectId } = scope
    await append(scope, 5)
    const text = await exported(database.db, [projectId])
    await asOwner(database, async (trx) => {
      for (const table of ['events', 'journal_heads'])
        await sql`delete from ${sql.table(`daybook.${table}`)} where project_id = ${projectId}`.execute(trx)
      await sql`delete from daybook.projects where id = ${projectId}`.execute(trx)
    })
    const { bus, of } = recordingBus()
    const relay = run(bus, { pollMs: 5 })
    // Slow enough for the relay to poll the journal in between.
    const options = { batchEvents: 1, onProgress: () => pause(20) }
    await importJournal(database.db, bytesOf(text), options)
    expect(await relay.published(scope)).toBe(5)
    await append(scope, 2, relay)
    await untilPublished(relay, scope, 7)
    expect(of(scope)).toEqual([6, 7])
  })

  it('goes on after an outage of the database', async () => {
    const scope = await database.newProject()
    const { bus, of } = recordingBus()
    const relay = run(bus, { pollMs: 50 })
    await append(scope, 3, relay)
    await untilPublished(relay, scope, 3)
    const bringBack = await database.outage()
    relay.committed(scope.projectId, [{ sequence: 4 } as LinkedEvent])
    await bringBack()
    await append(scope, 3, relay)
    await untilPublished(relay, scope, 6)
    expect(of(scope)).toEqual(upTo(6))
  })

  it('is not moved by events that the journal has lost, and publishes those in their place', async () => {
    const scope = await database.newProject()
    const { bus, of } = recordingBus()
    const relay = run(bus, { pollMs: 50 })
    await append(scope, 3, relay)
    await untilPublished(relay, scope, 3)
    heard.splice(0)
    await append(scope, 2)
    const lost = heard.splice(0)
    await loseTail(database, scope, 3)
    await append(scope, 1)
    const [fourth] = heard
    // The process that knew the lost events never hears of the new one.
    relay.committed(scope.projectId, lost)
    await vi.waitUntil(async () => (await readPublishedPlace(scope))?.hash === fourth?.hash)
    expect(of(scope).at(-1)).toBe(4)
    await append(scope, 2, relay)
    await untilPublished(relay, scope, 6)
    expect(of(scope).slice(-2)).toEqual([5, 6])
  })

  it('goes back from a place that the journal lacks to the last common one, and logs an error', async () => {
    const scope = await database.newProject()
    const errors = vi.fn<() => void>()
    const logger = createLogger('test', 'silent')
    logger.error = errors
    const { bus, of } = recordingBus()
    const relay = run(bus, { pollMs: 50, logger })
    await append(scope, 3, relay)
    await untilPublished(relay, scope, 3)
    await append(scope, 3, relay)
    await untilPublished(relay, scope, 6)
    const before = of(scope).length
    await loseTail(database, scope, 4)
    await append(scope, 1)
    await vi.waitUntil(async () => (await relay.published(scope)) === 5)
    expect(of(scope).slice(before)).toEqual([4, 5])
    expect(errors).toHaveBeenCalledTimes(1)
    expect(await readPublishedPlace(scope)).toEqual(await placeAt(scope, 5))
  })

  /**
   * Waits until the first poll of the journal is over: later events are published because they were reported.
   */
  async function untilIdle(relay: Relay, scope: ProjectScope, published = 0): Promise<void> {
    if (published > 0) await untilPublished(relay, scope, published)
    else {
      const probe = await database.newProject()
      await append(probe, 1, relay)
      await untilPublished(relay, probe, 1)
    }
  }
})

describe.each(TEST_DATABASES)('the relay’s backlog on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('counts what is behind in projects that a relay knows, and tells how old it is', async () => {
    const { db } = database
    const [known, unknown] = [await database.newProject(), await database.newProject()]
    const input: RememberInput = { content: { kind: 'note', fields: { text: 'a note' } } }
    const metadata = { actor: null, correlationId: null, causationId: null }
    const writer = createJournalWriter(() => {})
    for (const scope of [known, unknown])
      for (let count = 0; count < 3; count += 1)
        await appendOne(writer, scope, { command: { type: 'remember', id: newId(), input }, metadata })
    expect(await readBacklog(db)).toEqual({ events: 0, oldestMs: 0 })
    await sql`insert into relay_positions (project_id, published) values (${known.projectId}, 1)`.execute(db)
    const { events, oldestMs } = await readBacklog(db)
    expect(events).toBe(2)
    expect(oldestMs).toBeGreaterThan(0)
    // Events recorded while the clock was ahead do not hide how long others have waited.
    await asOwner(database, async (trx) => {
      const { projectId } = known
      await sql`update daybook.events set recorded_at = '2099-01-01' where project_id = ${projectId} and sequence = 2`.execute(
        trx,
      )
      await sql`update daybook.events set recorded_at = now() - interval '1 hour' where project_id = ${projectId} and sequence = 3`.execute(
        trx,
      )
    })
    const ahead = await readBacklog(db)
    expect(ahead.events).toBe(2)
    expect(ahead.oldestMs).toBeGreaterThan(3_000_000)
    await sql`update relay_positions set published = 3`.execute(db)
    expect(await readBacklog(db)).toEqual({ events: 0, oldestMs: 0 })
  })
})
