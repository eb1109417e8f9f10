import { ensureProject } from '@daybook/postgres/access/projects'
import { type Database, openDatabase } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { type CuttingProxy, startCuttingProxy } from '@daybook/postgres/testing/cutting-proxy'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readHead } from '../read/read.ts'
import { forgetting, note, restoring } from '../testing/requests.ts'
import type { AppendRequest } from './append-request.ts'
import { appendOne, createJournalWriter } from './journal-writer.ts'

describe.each(TEST_DATABASES)(
  'a connection to $name that breaks around COMMIT',
  ({ start, severalSessions }) => {
    let database: TestDatabase
    let proxy: CuttingProxy
    let db: Database
    let scope: ProjectScope
    const writer = createJournalWriter(() => {})

    beforeAll(async () => {
      database = await start()
      proxy = await startCuttingProxy(database.address)
      db = openDatabase(proxy.address)
      scope = projectScope(db, await ensureProject(db, 'cut'))
    })
    afterAll(async () => {
      await db?.destroy()
      await proxy?.stop()
      await database?.stop()
    })

    /** Appends while the connection breaks at COMMIT. @returns what each caller was told */
    const lose = async (delivered: boolean, ...requests: AppendRequest[]) => {
      const cut = proxy.cutNextCommit({ delivered })
      const results = Promise.allSettled(requests.map((request) => appendOne(writer, scope, request)))
      await cut
      return (await results).map((one) => (one.status === 'rejected' ? one.reason : null))
    }

    it('a request without a key is not tried again, and is told that the outcome is not known', async () => {
      const before = await readHead(scope)
      const [told] = await lose(true, note('once'))
      expect(told).toMatchObject({
        code: 'OUTCOME_UNKNOWN',
        message: expect.stringMatching(/not known whether.*look before you repeat.*idempotency key/su),
      })
      expect(await readHead(scope)).toBe(before + 1)
    })

    it('requests that merely arrived together are not tried again one by one', async () => {
      const before = await readHead(scope)
      const told = await lose(true, note('a'), note('b'), note('c', { idempotencyKey: 'c' }))
      expect(told.map(({ code }) => code)).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN', 'UNAVAILABLE'])
      expect(await readHead(scope)).toBe(before + 3)
    })

    it.each([true, false])(
      'a request with a key may be sent again, and takes effect once (COMMIT delivered: %s)',
      async (delivered) => {
        const before = await readHead(scope)
        const request = () => note('keyed', { idempotencyKey: `delivered ${delivered}` })
        expect(await lose(delivered, request())).toMatchObject([{ code: 'UNAVAILABLE' }])
        expect((await appendOne(writer, scope, request())).duplicate).toBe(delivered)
        expect(await readHead(scope)).toBe(before + 1)
      },
    )

    if (severalSessions)
      it.each([true, false])(
        'an append in one statement may be sent again with its key, and takes effect once (delivered: %s)',
        async (delivered) => {
          await appendOne(writer, scope, note('so that the writer knows the end'))
          const before = await readHead(scope)
          const [told, keyed] = await lose(
            delivered,
            note('no key'),
            note('key', { idempotencyKey: `statement ${delivered}` }),
          )
          expect([told?.code, keyed?.code]).toEqual(['OUTCOME_UNKNOWN', 'UNAVAILABLE'])
          expect(await readHead(scope)).toBe(before + (delivered ? 2 : 0))
          const again = await appendOne(
            writer,
            scope,
            note('key', { idempotencyKey: `statement ${delivered}` }),
          )
          expect(again.duplicate).toBe(delivered)
        },
      )

    it('forget and restore that are repeated with their keys take effect once', async () => {
      const { memory } = await appendOne(writer, scope, note('back and forth'))
      const { id } = memory.state
      const forget = { ...forgetting(id), idempotencyKey: 'forget' }
      const restore = { ...restoring(id), idempotencyKey: 'restore' }
      expect(await lose(true, forget)).toMatchObject([{ code: 'UNAVAILABLE' }])
      const forgotten = await appendOne(writer, scope, forget)
      expect([forgotten.duplicate, forgotten.memory.version]).toEqual([true, 2])
      const restored = await appendOne(writer, scope, restore)
      expect([restored.duplicate, restored.memory.version]).toEqual([false, 3])
      expect(await appendOne(writer, scope, restore)).toEqual({
        ...restored,
        written: null,
        event: null,
        duplicate: true,
      })
      const head = await readHead(scope)
      expect(await appendOne(writer, scope, forget)).toEqual(forgotten)
      expect(await readHead(scope)).toBe(head)
    })

    it('a forget that changes nothing keeps its answer under its key', async () => {
      const { memory } = await appendOne(writer, scope, note('gone already'))
      const { id } = memory.state
      const first = await appendOne(writer, scope, forgetting(id))
      const nothing = await appendOne(writer, scope, { ...forgetting(id), idempotencyKey: 'nothing' })
      expect(nothing).toMatchObject({
        event: null,
        duplicate: false,
        memory: { version: first.memory.version },
      })
      await appendOne(writer, scope, restoring(id))
      const head = await readHead(scope)
      const again = await appendOne(writer, scope, { ...forgetting(id), idempotencyKey: 'nothing' })
      expect(again).toMatchObject({ duplicate: true, memory: { version: first.memory.version } })
      expect(await readHead(scope)).toBe(head)
    })
  },
)
