import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { newId } from '@daybook/memory/id'
import { folderOf, startStandby, untilCaughtUp } from '@daybook/postgres/testing/failover-pair'
import { findBinaries, OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import type { NativeServer } from '@daybook/postgres/testing/running-server'
import { needing } from '@daybook/runtime/testing/needing'
import { OWN_NATS, startNativeNats } from '@daybook/transport/testing/native-nats'
import { startOwnTypesense } from '@daybook/typesense-double/typesense-servers'
import { Client } from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { askDatabase } from '../support/ask-database.ts'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { filesWith } from './files-with.ts'
import { usingDaemon } from './fill-and-delete.ts'

const EMBEDDER = { DAYBOOK_EMBEDDER: 'test-hash/64/token-bits-1' }
const marked = () => `zq${newId().slice(-8)}x`

/**
 * Two texts, in the project `default` and in one of their own; then the first is erased and the other deleted.
 * @param analyze gathers planner statistics, which have something of both from then on
 */
async function eraseAndDelete(
  use: ReturnType<typeof usingDaemon>,
  erased: string,
  deleted: string,
  analyze: () => Promise<void>,
) {
  const shop = await use.makeProject(deleted)
  await use.remember('what stays', 20, 'stays')
  await use.remember(erased, 40, 'gone')
  await use.remember(deleted, 600, 'shop', shop.key)
  await use.settled()
  await analyze()
  await use.eraseContext('gone')
  await use.deleteProject(shop.id, deleted)
  return shop
}

describe('the files', { concurrent: true }, () => {
  it('of an embedded daemon lose what is erased and what was in a deleted project, also after a kill in the middle and a rebuild', async () => {
    const daemon = createTestDaemon(undefined, { environment: EMBEDDER })
    try {
      const [erased, deleted] = [marked(), marked()]
      await daemon.start()
      const use = usingDaemon(daemon)
      const shop = await eraseAndDelete(use, erased, deleted, () => analyzeEmbedded(daemon))
      await daemon.kill()
      expect(filesWith(daemon.dataDir, deleted)).not.toEqual([])
      await daemon.start()
      await use.removed(shop.id)
      await use.reindex('PGVECTOR')
      // Another erasure, so that the rebuilt generation has something to forget.
      await use.remember(erased, 5, 'gone')
      await use.settled()
      await analyzeEmbedded(daemon)
      await use.eraseContext('gone')
      for (const text of [erased, deleted])
        await vi.waitFor(() => expect(filesWith(daemon.dataDir, text)).toEqual([]), {
          interval: 1_000,
        })
      const { projects } = await use.data<{ projects: { name: string; memories: number }[] }>(
        '{ projects { name memories } }',
      )
      expect(projects).toEqual([{ name: 'default', memories: 20 }])
      await daemon.stop()
      for (const text of [erased, deleted]) expect(filesWith(daemon.dataDir, text)).toEqual([])
    } finally {
      await daemon.remove()
    }
  })

  needing(OWN_POSTGRES, OWN_NATS).test(
    'of real servers: a dump and JetStream have nothing of it at once, Postgres and a standby after their free space is cleared',
    async () => {
      const stops: (() => Promise<unknown>)[] = []
      try {
        const primary = await startNativeServer()
        stops.push(primary.stop)
        const standby = await startStandby(primary)
        stops.push(standby.stop)
        const nats = await startNativeNats()
        stops.push(nats.stop)
        const typesense = await startOwnTypesense()
        stops.push(typesense.stop)
        const daemon = createTestDaemon(undefined, {
          environment: {
            ...EMBEDDER,
            DATABASE_URL: primary.url,
            NATS_URL: nats.url,
            TYPESENSE_URL: typesense.url,
            TYPESENSE_API_KEY: typesense.apiKey,
          },
        })
        stops.push(daemon.remove)
        await daemon.start()
        const use = usingDaemon(daemon)
        const [erased, deleted] = [marked(), marked()]
        const shop = await eraseAndDelete(use, erased, deleted, () => ask(primary.url, 'analyze'))
        await use.removed(shop.id)
        await use.reindex('PGVECTOR')
        await use.reindex('TYPESENSE')
        await use.settled()
        const dump = execFileSync(join(findBinaries(), 'pg_dump'), ['--dbname', primary.url], {
          maxBuffer: 1024 ** 3,
        })
        const [ofPrimary, ofStandby] = [folderOf(primary), folderOf(standby)]
        await ask(primary.url, 'checkpoint')
        await untilCaughtUp(primary, standby)
        await ask(standby.url, 'checkpoint')
        for (const text of [erased, deleted]) {
          expect(dump.includes(text)).toBe(false)
          expect(filesWith(nats.folder, text)).toEqual([])
          // As docs/security.md says: until then, whoever reads the disk finds it.
          expect(filesWith(ofPrimary, text)).not.toEqual([])
          expect(filesWith(ofStandby, text)).not.toEqual([])
        }
        await clearFreeSpace(primary, standby)
        for (const text of [erased, deleted]) {
          expect(filesWith(ofPrimary, text)).toEqual([])
          await vi.waitFor(() => expect(filesWith(ofStandby, text)).toEqual([]))
        }
      } finally {
        for (const stop of stops.toReversed()) await stop()
      }
    },
  )
})

/** Gathers the statistics of an embedded daemon's database. */
async function analyzeEmbedded(daemon: TestDaemon): Promise<void> {
  const counted = () =>
    askDatabase<{ analyses: number }>(
      daemon,
      `select sum(analyze_count)::int as analyses from pg_stat_user_tables where relname in ('events', 'memories') group by relname order by relname`,
    )
  const before = await counted()
  await askDatabase(daemon, 'analyze')
  // Those of both, however often the daemon does it by itself.
  const after = await counted()
  expect(after).toHaveLength(2)
  for (const [index, { analyses }] of after.entries())
    expect(analyses).toBeGreaterThan(before[index]?.analyses ?? 0)
}

/** What docs/security.md tells an operator to do. */
async function clearFreeSpace(...servers: NativeServer[]): Promise<void> {
  const [primary] = servers
  const each = async (...queries: string[]) => {
    for (const { url } of servers) await ask(url, ...queries)
  }
  await each('alter system set wal_recycle = off', 'select pg_reload_conf()')
  await ask(
    primary!.url,
    `delete from pg_statistic using pg_class c where c.oid = starelid and relkind = 'r'
       and (relnamespace::regnamespace::text = 'daybook' or relnamespace::regnamespace::text like 'pgvector\\_%')`,
    'vacuum (full, analyze)',
    'vacuum full pg_statistic',
  )
  for (let segment = 0; segment < 2; segment += 1) {
    await ask(primary!.url, 'select pg_switch_wal()', 'checkpoint')
    for (const standby of servers.slice(1)) await untilCaughtUp(primary!, standby)
    await each('checkpoint')
  }
}

async function ask(url: string, ...queries: string[]): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const query of queries) await client.query(query)
  } finally {
    await client.end()
  }
}
