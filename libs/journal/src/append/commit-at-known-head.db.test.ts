import { newId } from '@daybook/memory/id'
import { withTimeout } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import {
  EMBEDDED_DATABASE,
  NATIVE_DATABASE,
  POSTGRES,
  type TestDatabase,
} from '@daybook/postgres/testing/test-database'
import { needing } from '@daybook/runtime/testing/needing'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyJournal } from '../chain/verify-journal.ts'
import { readHead } from '../read/read.ts'
import { appendWithin } from '../testing/append-as-another.ts'
import { forgetting, note } from '../testing/requests.ts'
import type { AppendRequest } from './append-request.ts'
import { commitAtKnownHead, commitBatch } from './commit-batch.ts'
import { appendOne, createJournalWriter } from './journal-writer.ts'
import type { KnownHead } from './known-head.ts'

needing(POSTGRES).describe('appends in one statement', () => {
  const { start } = NATIVE_DATABASE
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  /** A project with these notes, and its end. */
  async function known(...requests: AppendRequest[]): Promise<{ scope: ProjectScope; head: KnownHead }> {
    const scope = await database.newProject()
    const { head } = await commitBatch(scope, requests.length === 0 ? [note('first')] : requests)
    if (head === null) throw new Error('nothing was written')
    return { scope, head }
  }

  it('follow the known end, with the times, keys and hashes of any append', async () => {
    const { scope, head } = await known()
    const first = await commitAtKnownHead(
      scope,
      [note('a', { idempotencyKey: 'a' }), note('b'), note('a', { idempotencyKey: 'a' })],
      head,
    )
    expect(first?.events.map(({ sequence }) => sequence)).toEqual([2, 3])
    expect(first?.outcomes[2]).toMatchObject({ appended: { duplicate: true, memory: { sequence: 2 } } })
    const second = await commitAtKnownHead(scope, [note('c')], first?.head as KnownHead)
    expect(second?.events[0]).toMatchObject({ sequence: 4, previousHash: first?.events[1]?.hash })
    const again = await commitBatch(scope, [note('a', { idempotencyKey: 'a' })])
    expect(again.outcomes).toMatchObject([{ appended: { duplicate: true, memory: { sequence: 2 } } }])
    expect(await verifyJournal(scope)).toMatchObject({ problems: 0 })
    const { rows } = await sql<{ sorted: boolean; near: boolean }>`
      select bool_and(recorded_at >= before) as sorted, bool_and(abs(extract(epoch from now() - recorded_at)) < 3600) as near
      from (select recorded_at, lag(recorded_at, 1, recorded_at) over (order by sequence) as before from events
        where project_id = ${scope.projectId}) e`.execute(scope.db)
    expect(rows).toEqual([{ sorted: true, near: true }])
  })

  it('have times that are not before they were asked for, however late the answer before was read', async () => {
    const { scope, head } = await known()
    const appending = commitAtKnownHead(scope, [note('read late')], head)
    await new Promise(setImmediate)
    const until = performance.now() + 50
    while (performance.now() < until);
    const next = (await appending)?.head as KnownHead
    const { rows } = await sql<{ clock: string }>`select clock_timestamp() as clock`.execute(scope.db)
    const after = await commitAtKnownHead(scope, [note('after it')], next)
    expect(Date.parse(after?.events[0]?.recordedAt as string)).toBeGreaterThanOrEqual(
      Math.floor(Date.parse(rows[0]?.clock as string)),
    )
  })

  it('write nothing where another process has appended since', async () => {
    const { scope, head } = await known()
    await commitBatch(scope, [note('of another process')])
    expect(await commitAtKnownHead(scope, [note('late', { idempotencyKey: 'late' })], head)).toBeNull()
    expect(await readHead(scope)).toBe(2)
    // Its key was not used either.
    const { events } = await commitBatch(scope, [note('late', { idempotencyKey: 'late' })])
    expect(events).toHaveLength(1)
  })

  it('write nothing where the journal has another history of the same length', async () => {
    const { scope, head } = await known()
    const hash = head.hash.replaceAll(/[\da-f]/gu, (digit) => (digit === '0' ? '1' : '0'))
    expect(await commitAtKnownHead(scope, [note('of a lost history')], { ...head, hash })).toBeNull()
    expect(await readHead(scope)).toBe(1)
  })

  it('write nothing where a key was used, also by a request that changed nothing', async () => {
    const request = note('gone already')
    const { scope } = await known(request)
    const { id } = request.command
    const { head } = await commitBatch(scope, [forgetting(id)])
    await commitBatch(scope, [{ ...forgetting(id), idempotencyKey: 'nothing' }])
    const reuse = note('another request', { idempotencyKey: 'nothing' })
    expect(await commitAtKnownHead(scope, [note('x'), reuse], head as KnownHead)).toBeNull()
    expect(await readHead(scope)).toBe(2)
  })

  it('write nothing with a time that the database’s clock does not have', async () => {
    const { scope, head } = await known()
    const wrong = { ...head, clockMs: head.clockMs + 5_000 }
    expect(await commitAtKnownHead(scope, [note('early')], wrong)).toBeNull()
    await asOwner(database, (trx) =>
      sql`update daybook.journal_heads set last_recorded_at = '2099-01-01' where project_id = ${scope.projectId}`.execute(
        trx,
      ),
    )
    expect(await commitAtKnownHead(scope, [note('before the last')], head)).toBeNull()
    expect(await readHead(scope)).toBe(1)
  })

  it('write nothing where this code is too old to append', async () => {
    const { scope, head } = await known()
    const setMinimum = (change: number) =>
      asOwner(database, (trx) =>
        sql`update daybook.compatibility set minimum_writer = minimum_writer + ${change}`.execute(trx),
      )
    await setMinimum(1)
    expect(await commitAtKnownHead(scope, [note('old')], head)).toBeNull()
    await setMinimum(-1)
    expect(await readHead(scope)).toBe(1)
  })

  it('leave what the database refuses to the locked way, without a trace', async () => {
    const request = note('twice')
    const { scope, head } = await known(request)
    expect(await commitAtKnownHead(scope, [note('fine'), request], head)).toBeNull()
    expect(await readHead(scope)).toBe(1)
  })

  it('are not tried in the embedded database', async () => {
    const other = await EMBEDDED_DATABASE.start()
    const { head } = await commitBatch(await other.newProject(), [note('first')])
    expect(head).toBeNull()
    await other.stop()
  })

  it('are taken by a writer for new memories, and other commands in between are not lost', async () => {
    const scope = await database.newProject()
    const committed: number[] = []
    const writer = createJournalWriter((_, events) =>
      committed.push(...events.map(({ sequence }) => sequence)),
    )
    const other = createJournalWriter(() => {})
    for (let round = 0; round < 5; round += 1) {
      const { memory } = await appendOne(writer, scope, note(`one ${round}`))
      await Promise.all([
        appendOne(writer, scope, note('two')),
        appendOne(writer, scope, forgetting(memory.state.id)),
      ])
      await appendOne(writer, scope, note('three'))
      if (round === 3) await appendOne(other, scope, note('of another process'))
    }
    expect(await readHead(scope)).toBe(21)
    expect(committed).toEqual(Array.from({ length: 21 }, (_, index) => index + 1).filter((n) => n !== 17))
    expect(await verifyJournal(scope)).toMatchObject({ problems: 0 })
  })

  it('are known to be rolled back where a time limit ends them', async () => {
    const { scope, head } = await known()
    const trx = await database.db.startTransaction().execute()
    await sql`select from journal_heads where project_id = ${scope.projectId} for update`.execute(trx)
    const limited = { ...scope, db: withTimeout(scope.db, 50) }
    expect(await commitAtKnownHead(limited, [note('too late')], head)).toBeNull()
    await trx.rollback().execute()
    expect(await readHead(scope)).toBe(1)
  })

  describe('beside another session', () => {
    /** Starts the statement while another session has the project's lock and does this. */
    async function whileLocked(
      end: 'commit' | 'rollback',
      statement: (scope: ProjectScope, head: KnownHead) => Promise<unknown>,
    ) {
      const { scope, head } = await known()
      const trx = await database.db.startTransaction().execute()
      await appendWithin(trx, scope.projectId, { type: 'MemoryDreamt', data: { of: 'sheep' } })
      const waiting = statement(scope, head)
      await untilBlocked()
      await trx[end]().execute()
      return { scope, result: await waiting }
    }
    const untilBlocked = async () => {
      for (let waiting = 0; waiting === 0; ) {
        const { rows } = await sql<{ waiting: number }>`
          select count(*) as waiting from pg_locks where not granted`.execute(database.db)
        waiting = rows[0]?.waiting ?? 0
      }
    }

    it('wait for its commit and write nothing: the end has moved', async () => {
      const { scope, result } = await whileLocked('commit', (own, head) =>
        commitAtKnownHead(own, [note('waits')], head),
      )
      expect(result).toBeNull()
      expect(await readHead(scope)).toBe(2)
      expect(await verifyJournal(scope)).toMatchObject({ problems: 0 })
    })

    it('wait for its rollback and then write', async () => {
      const { scope, result } = await whileLocked('rollback', (own, head) =>
        commitAtKnownHead(own, [note('waits')], head),
      )
      expect(result).toMatchObject({ events: [{ sequence: 2 }] })
      expect(await verifyJournal(scope)).toMatchObject({ problems: 0 })
    })

    it('race from the same end, and one of them writes', async () => {
      const { scope, head } = await known()
      const results = await Promise.all(
        Array.from({ length: 6 }, () => commitAtKnownHead(scope, [note(newId())], head)),
      )
      expect(results.filter((result) => result !== null)).toHaveLength(1)
      expect(await readHead(scope)).toBe(2)
      expect(await verifyJournal(scope)).toMatchObject({ problems: 0 })
    })
  })
})
