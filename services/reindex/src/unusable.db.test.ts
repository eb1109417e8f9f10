import { IN_MEMORY } from '@daybook/in-memory-engine/engine'
import { UnavailableError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import { note } from '@daybook/memory/testing/commands'
import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import { pause } from '@daybook/runtime/backoff'
import { silentLogger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { doChores } from './chores.ts'
import { type ReindexHarness, startReindexHarness } from './testing/reindex-harness.ts'

describe.each(SERVICE_DATABASES)('a read model whose layout is another, on $name', ({ start }) => {
  let harness: ReindexHarness
  beforeAll(async () => {
    harness = await startReindexHarness({ start })
  })
  afterAll(() => harness?.stop())

  const schema = async () => sql.id(`pgvector_${await harness.live('pgvector')}`)
  const owner = (statement: ReturnType<typeof sql>) =>
    asOwner(harness, async (trx) => {
      await statement.execute(trx)
    })
  const parked = async () => (await sql`select from parked_events`.execute(harness.db)).rows.length
  const unusable = async (projection: string) => {
    const { rows } = await sql<{ unusable: string | null }>`
      select unusable from generations where projection = ${projection} and status = 'live'`.execute(
      harness.db,
    )
    return rows[0]?.unusable ?? null
  }

  it.each<[string, () => Promise<void>, RegExp]>([
    ['a schema that is gone', async () => owner(sql`drop schema ${await schema()} cascade`), /pgvector_/u],
    ['a table that is gone', async () => owner(sql`drop table ${await schema()}.vectors`), /vectors/u],
    [
      'a column that is gone',
      async () => owner(sql`alter table ${await schema()}.memories drop column session`),
      /session/u,
    ],
    [
      'another version of the layout',
      async () => {
        await sql`update generations set layout_version = 77 where projection = 'pgvector' and status = 'live'`.execute(
          harness.db,
        )
      },
      /version 77/u,
    ],
  ])(
    '%s is noticed by whoever writes or looks, parks no event, and has the read model made again',
    async (_, damage, said) => {
      const scope = await harness.newProject()
      await harness.remember(scope, 'one light', 'another light')
      await harness.settled()
      const before = await harness.live('pgvector')
      await damage()
      await harness.append(scope, { type: 'remember', id: newId(), input: note('a third light') })
      const service = harness.startService()
      while ((await unusable('pgvector')) === null && (await harness.live('pgvector')) === before)
        await pause(20)
      if ((await harness.live('pgvector')) === before) {
        expect(await unusable('pgvector')).toMatch(said)
        await expect(liveReadModel(harness.db)).rejects.toThrow(UnavailableError)
      }
      while ((await harness.live('pgvector')) === before) await pause(50)
      expect(await unusable('pgvector')).toBeNull()
      expect(await parked()).toBe(0)
      await harness.settled()
      while ((await harness.generations('pgvector')).includes('building')) await pause(50)
      expect(await harness.run('verify', 'pgvector')).toMatchObject({ result: { clean: true } })
      // There is no going back to it.
      expect(await harness.generations('pgvector')).not.toContain('old')
      await service.stop()
    },
  )

  it('a Typesense collection of another layout version is made again, too', async () => {
    const before = await harness.live('typesense')
    await sql`update generations set layout_version = 77 where projection = 'typesense' and status = 'live'`.execute(
      harness.db,
    )
    const service = harness.startService()
    while ((await harness.live('typesense')) === before) await pause(50)
    await harness.settled()
    expect(await unusable('typesense')).toBeNull()
    await service.stop()
  })

  it('an engine that kept everything in a process that has ended is made again', async () => {
    const before = await harness.live(IN_MEMORY)
    harness.inMemory.lose()
    const service = harness.startService()
    while ((await harness.live(IN_MEMORY)) === before) await pause(50)
    await harness.settled()
    expect(await unusable(IN_MEMORY)).toBeNull()
    // The operation that made it may still be at its last step.
    const verified = await vi.waitFor(() => harness.run('verify', IN_MEMORY))
    expect(verified).toMatchObject({ result: { clean: true } })
    await service.stop()
  })

  it('a rebuild is asked for once, and after each failure only when a longer while has passed', async () => {
    const { db } = harness
    const broken = {
      layoutVersion: 1,
      problemOf: async () => 'relation "pgvector_1.memories" does not exist',
    } as unknown as RebuildableProjection
    const projections = new Map([['pgvector', broken]])
    const look = async () => {
      for (let looks = 0; looks < 3; looks += 1)
        await doChores({ db, projections, logger: silentLogger, keepOldMs: 3_600_000 })
    }
    const requested = async () =>
      (
        await sql<{ id: string; status: string }>`
          select id, status from operations where requested_by like 'daybook (%' and status = 'queued'`.execute(
          db,
        )
      ).rows
    const asked = async () => {
      await look()
      const [one, ...more] = await requested()
      expect(more).toEqual([])
      return one?.id ?? ''
    }
    const asksNothing = async () => {
      await look()
      expect(await requested()).toEqual([])
    }
    const fail = (id: string, secondsAgo: number) =>
      sql`update operations set status = 'failed', finished_at = clock_timestamp() - make_interval(secs => ${secondsAgo})
        where id = ${id}`.execute(db)
    await fail(await asked(), 1)
    await asksNothing()
    await sql`update operations set finished_at = clock_timestamp() - interval '31 seconds' where status = 'failed'`.execute(
      db,
    )
    // A second failure is waited for twice as long.
    await fail(await asked(), 31)
    await asksNothing()
    await sql`update operations set finished_at = clock_timestamp() - interval '61 seconds' where status = 'failed'`.execute(
      db,
    )
    const third = await asked()
    await sql`update operations set status = 'cancelled' where id = ${third}`.execute(db)
  })
})
