import { setTimeout as pause } from 'node:timers/promises'
import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { openEngines } from '@daybook/engines/engines'
import { testClient } from '@daybook/gateway/testing/test-gateway'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { createShutdown } from '@daybook/process/run-process'
import { readConfig } from '@daybook/runtime/config'
import { silentLogger } from '@daybook/runtime/logger'
import { createActivity } from '@daybook/runtime/loop'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startServices } from './start-services.ts'

/** Statements of all loops together for one look at everything, at most: 43 at last, with one project and one engine. */
const A_LOOK = 60 * openEngines(readConfig({})).length
/** Longer than any loop waits between looks that heeds no activity. */
const QUIET_MS = 2_500

const [embedded] = TEST_DATABASES

describe('the services of a daemon that nobody asks for anything', () => {
  const shutdown = createShutdown()
  // It is idle at once, and looks again only when something happens.
  const activity = createActivity({ idleAfterMs: 0, idleMs: 1_000_000 })
  let database: TestDatabase
  let statements = 0
  let underWay = 0

  /** @returns the statements until there were none for a while. @throws where there is always another one */
  async function untilQuiet(): Promise<number> {
    const before = statements
    for (let waits = 0; waits < 40; waits += 1) {
      const seen = statements
      await pause(QUIET_MS)
      if (seen === statements && underWay === 0) return statements - before
    }
    throw new Error(
      `a loop goes on by itself: ${statements - before} statements in ${(40 * QUIET_MS) / 1_000} s`,
    )
  }

  beforeAll(async () => {
    // Before the first connection, which keeps the method that it finds.
    const query = vi.spyOn(pg.Client.prototype, 'query')
    query.mockImplementation(function (this: pg.Client, ...args: Parameters<typeof query>) {
      statements += 1
      underWay += 1
      const answered: unknown = original.apply(this, args)
      const over = () => void (underWay -= 1)
      Promise.resolve(answered).then(over, over)
      return answered
    } as never)
    database = await embedded!.start()
    const { projectId } = await database.newProject()
    const key = await asOwner(database, (owner) => createApiKey(owner, projectId, 'k', { admin: true }))
    const { url } = await startServices(
      readConfig({ DAYBOOK_PORT: '0', DAYBOOK_EMBEDDER: 'test-hash/16', DAYBOOK_SELF_CHECK: '5s' }),
      { db: database.db, embedders: fixedEmbedders([createHashEmbedder({ dimension: 16 })]) },
      { logger: silentLogger, progress: () => {}, shutdown, activity },
    )
    await testClient(url, key, projectId).data(
      'mutation { remember(input: { content: { note: { text: "loops rest" } } }) { __typename } }',
    )
  })
  const original = pg.Client.prototype.query as (...args: unknown[]) => never
  afterAll(async () => {
    vi.restoreAllMocks()
    await shutdown.run()
    await database?.stop()
  })

  it('come to rest, and look at everything once when something happens', async () => {
    await untilQuiet()
    activity.touch()
    const look = await untilQuiet()
    expect(look).toBeGreaterThan(10)
    expect(look).toBeLessThanOrEqual(A_LOOK)
  })
})
