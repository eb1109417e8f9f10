import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { findBinaries } from '@daybook/postgres/testing/native-binaries'
import { createNativeDatabase, POSTGRES } from '@daybook/postgres/testing/test-database'
import { needing } from '@daybook/runtime/testing/needing'
import { afterEach, describe, expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { askGraphQL, dataOf } from '../support/graphql.ts'
import { brokenShape, jsonShapes, type Shape } from './public-surface.ts'
import { releasedFile, releasedVersions, type ToldMemory, toldMemories } from './released.ts'

/* The journals and databases of each release, with the present code. */

const SEARCH = `query ($query: String!) {
  search(query: $query, mode: KEYWORD) { hits { memory { id } } } }`

interface Found {
  readonly search: { readonly hits: readonly { readonly memory: { readonly id: string } }[] }
}

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function startDaemon(environment: Readonly<Record<string, string>> = {}) {
  const daemon = createTestDaemon(undefined, { environment })
  ends.push(daemon.remove)
  await daemon.start()
  return daemon
}

const apiOf = (daemon: TestDaemon) => ({
  url: daemon.url() ?? '',
  apiKey: readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim(),
})

/** It has the memories as that version told them, finds them all, and proves journal and index. */
async function check(daemon: TestDaemon, version: string): Promise<void> {
  const api = apiOf(daemon)
  const told: ToldMemory[] = JSON.parse(releasedFile(version, 'memories.json').toString())
  expect(told.length).toBeGreaterThan(10)
  await expect.poll(() => toldMemories(api)).toEqual(told)
  const findable = told.filter(({ forgottenAt }) => forgottenAt === null)
  await Promise.all(
    findable.map(async ({ id, text }) => {
      const query = text.split(/\s+/u).slice(0, 8).join(' ')
      const { search } = dataOf(await askGraphQL<Found>(api, { query: SEARCH, variables: { query } }))
      expect(
        search.hits.map(({ memory }) => memory.id),
        query,
      ).toContain(id)
    }),
  )
  const environment = { DAYBOOK_URL: api.url, DAYBOOK_API_KEY: api.apiKey }
  // The rebuild that has just made the index live may yet be ending, and is in the way until then.
  await expect.poll(() => runCli(['verify', 'all', '--journal'], environment)).toMatchObject({ exitCode: 0 })
}

describe.each(releasedVersions())('what %s left behind', (version) => {
  test('its export is imported whole, and exported as it was', async () => {
    const daemon = await startDaemon()
    const { url, apiKey } = apiOf(daemon)
    const headers = { authorization: `Bearer ${apiKey}` }
    const journal = gunzipSync(releasedFile(version, 'journal.jsonl.gz')).toString()
    const imported = await fetch(`${url}/journal/import`, { method: 'POST', headers, body: journal })
    expect(imported.ok, await imported.text()).toBe(true)
    await check(daemon, version)
    const told: ToldMemory[] = JSON.parse(releasedFile(version, 'memories.json').toString())
    const shapes: Record<string, Shape> = JSON.parse(releasedFile(version, 'shapes.json').toString())
    const environment = { DAYBOOK_URL: url, DAYBOOK_API_KEY: apiKey }
    const present = await jsonShapes(environment, told)
    for (const [command, shape] of Object.entries(shapes))
      expect(brokenShape(shape, present[command] ?? {}), `daybook ${command} --json`).toEqual([])
    const again = await fetch(`${url}/journal/export`, { headers })
    expect(await again.text()).toBe(journal)
  })

  needing(POSTGRES).test('its database is migrated, and its index built again', async () => {
    const database = await createNativeDatabase()
    ends.push(database.drop)
    execFileSync(join(findBinaries(), 'pg_restore'), ['--exit-on-error', `--dbname=${database.url}`], {
      input: releasedFile(version, 'database.dump'),
    })
    await check(await startDaemon({ DATABASE_URL: database.url }), version)
  })
})
