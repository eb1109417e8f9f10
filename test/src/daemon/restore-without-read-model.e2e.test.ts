import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinaries, OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { createNativeDatabase, type NativeDatabase } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import { needing } from '@daybook/runtime/testing/needing'
import { afterAll, expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { createTestDaemon } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'

interface Found {
  search: { hits: { memory: { text: string } }[]; degraded: string[] }
}

const texts = Array.from({ length: 40 }, (_, index) => `lighthouse ${index} of the western coast`)
const REMEMBER = `mutation ($text: String!) { remember(input: { content: { note: { text: $text } } }) { __typename } }`
const FIND = `{ search(query: "lighthouse 7", limit: 100) { hits { memory { text } } degraded } }`

/** docs/upkeep.md, "Back up" and "Restore a dump", with what they say of the schemas `pgvector_…`. */
needing(OWN_POSTGRES).describe('a dump without the read models', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-dump-'))
  const daemon = createTestDaemon()
  const databases: NativeDatabase[] = []
  afterAll(async () => {
    await daemon.remove()
    for (const one of databases) await one.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  const start = (database: NativeDatabase) =>
    daemon.start({ environment: { DATABASE_URL: database.url, DAYBOOK_EMBEDDER: 'test-hash/64' } })
  const makeDatabase = async () => {
    const made = await createNativeDatabase()
    databases.push(made)
    return made
  }
  const cli = (...args: string[]) =>
    runCli(args, { DAYBOOK_URL: daemon.url() ?? '', DAYBOOK_DATA_DIR: daemon.dataDir })
  /** An index that is still missing is said to be retryable. */
  const find = async () => {
    for (;;) {
      const answer = await daemon.graphql<Found>({ query: FIND })
      if (answer.errors[0]?.extensions?.retryable !== true) return dataOf(answer).search
      await pause(100)
    }
  }
  const found = async () => (await find()).hits.map(({ memory }) => memory.text).toSorted()
  /** Until so many memories are found, and each has its vector. */
  const embedded = async (memories: number) => {
    for (;;) {
      const { hits, degraded } = await find()
      if (hits.length === memories && degraded.length === 0) return
      await pause(100)
    }
  }

  test('is restored as documented: the daemon makes the read model again, and parks nothing', async () => {
    const first = await makeDatabase()
    await start(first)
    for (const text of texts) dataOf(await daemon.graphql({ query: REMEMBER, variables: { text } }))
    await embedded(40)
    const before = await found()
    expect(before).toHaveLength(40)
    expect(await daemon.stop()).toBe(0)

    const dump = join(folder, 'dump')
    const bin = (name: string) => join(findBinaries(), name)
    execFileSync(bin('pg_dump'), [
      '--format=custom',
      '--exclude-schema=pgvector_*',
      `--file=${dump}`,
      first.url,
    ])
    const second = await makeDatabase()
    execFileSync(bin('pg_restore'), ['--exit-on-error', `--dbname=${second.url}`, dump])

    await start(second)
    await embedded(40)
    expect(await found()).toEqual(before)
    // What is remembered right after the restore is applied, not parked.
    dataOf(await daemon.graphql({ query: REMEMBER, variables: { text: 'lighthouse 41' } }))
    await embedded(41)
    // The rebuild that has just made the index live may yet be ending, and is in the way of a verification
    // until then.
    const verify = async () => (await cli('verify', 'all', '--journal')).stdout
    await expect.poll(verify).toContain('It is what the journal says.')
    // The unusable one is dropped after the swap.
    const generations = async () => {
      const { stdout } = await cli('reindex', '--list', '--json')
      return (JSON.parse(stdout) as { generations: object[] }).generations
    }
    await expect
      .poll(generations)
      .toMatchObject([{ projection: 'PGVECTOR', generation: 2, status: 'LIVE', parked: 0 }])
    expect(daemon.log(100_000)).toContain('an unusable generation is made again from the journal')
  })
})
