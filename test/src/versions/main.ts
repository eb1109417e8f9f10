import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ERASED_EVENT, EVENT_TYPES } from '@daybook/memory/events'
import { KIND_NAMES } from '@daybook/memory/kinds/index'
import { findBinaries } from '@daybook/postgres/testing/native-binaries'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { pause } from '@daybook/runtime/backoff'
import { VERSION } from '@daybook/runtime/version'
import { createTestDaemon, REPOSITORY } from '../support/daemon.ts'
import { askGraphQL, dataOf } from '../support/graphql.ts'
import { jsonShapes, presentSurface } from './public-surface.ts'
import { RELEASED, toldMemories } from './released.ts'

/*
 * `npm run keep-release`, before a version is released: keeps what later versions are tested with (`released.ts`). It
 * uses a daemon on a Postgres of its own, with memories of all kinds and events of all types. What was released is
 * never written again.
 */

const REMEMBER = `mutation ($inputs: [RememberInput!]!) {
  rememberMany(inputs: $inputs) { __typename ... on Remembered { memory { id } } } }`
const REVISE = `mutation ($id: ID!) {
  revise(id: $id, input: { labels: ["revised"], importance: 9 }) { __typename } }`
const FORGET = 'mutation ($id: ID!) { forget(id: $id) { __typename } }'
const RESTORE = 'mutation ($id: ID!) { restore(id: $id) { __typename } }'
const RESTORE_VERSION = 'mutation ($id: ID!) { restore(id: $id, version: 1) { __typename } }'
const ERASE = 'mutation ($id: ID!) { erase(id: $id) { __typename } }'

/** How many memories of the bundled collection, of each kind. */
const OF_A_KIND = 5

interface Told {
  readonly content: Readonly<Record<string, unknown>>
}

/** Of each kind, and one that expires soon. */
function toRemember(): object[] {
  const lines = readFileSync(join(REPOSITORY, 'test/src/eval/bundled/memories.jsonl'), 'utf8')
  const told = lines
    .trim()
    .split('\n')
    .map((line): Told => {
      const { id: _, ...input } = JSON.parse(line)
      return input
    })
  return [
    ...KIND_NAMES.flatMap((kind) => told.filter(({ content }) => kind in content).slice(0, OF_A_KIND)),
    { content: { note: { text: 'The lift is out of order' } }, expiresAt: new Date(Date.now() + 1_000) },
  ]
}

if (execFileSync('git', ['tag', '--list', `v${VERSION}`], { cwd: REPOSITORY, encoding: 'utf8' }) !== '')
  throw new Error(`${VERSION} is released, and its files stay as they are: give package.json another version`)

const server = await startNativeServer()
const daemon = createTestDaemon(undefined, { environment: { DATABASE_URL: server.url } })
try {
  await daemon.start()
  const [url, apiKey] = [daemon.url() ?? '', readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim()]
  const ask = async <Data>(query: string, variables: object = {}) =>
    dataOf(await askGraphQL<Data>({ url, apiKey }, { query, variables: { ...variables } }))
  const { rememberMany } = await ask<{ rememberMany: { memory: { id: string } }[] }>(REMEMBER, {
    inputs: toRemember(),
  })
  const ids = rememberMany.map(({ memory }) => memory.id)
  const changes = [
    [REVISE],
    [REVISE, RESTORE_VERSION],
    [FORGET],
    [FORGET, RESTORE],
    [ERASE],
    [REVISE, FORGET, ERASE],
  ]
  for (const [index, mutations] of changes.entries())
    for (const mutation of mutations) await ask(mutation, { id: ids[index * OF_A_KIND] })

  const wanted = [...EVENT_TYPES, ERASED_EVENT]
  const headers = { authorization: `Bearer ${apiKey}` }
  let journal = ''
  for (let missing = wanted; missing.length > 0; ) {
    journal = await (await fetch(`${url}/journal/export`, { headers })).text()
    missing = wanted.filter((type) => !journal.includes(`"type":"${type}"`))
    if (missing.length > 0) await pause(200)
  }

  const folder = join(RELEASED, VERSION)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const packed = {
    'schema.graphql': readFileSync(join(REPOSITORY, 'services/gateway/schema.graphql')),
    'journal.jsonl': journal,
  }
  for (const [file, content] of Object.entries(packed))
    writeFileSync(join(folder, `${file}.gz`), gzipSync(content, { level: 9 }))
  const told = await toldMemories({ url, apiKey })
  const kept = {
    memories: told,
    surface: await presentSurface(),
    shapes: await jsonShapes({ DAYBOOK_URL: url, DAYBOOK_API_KEY: apiKey }, told),
  }
  for (const [name, value] of Object.entries(kept))
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(value, null, 1)}\n`)
  // As docs/upkeep.md says.
  const options = ['--format=custom', '--compress=9', '--exclude-schema=pgvector_*', server.url]
  const dump = execFileSync(join(findBinaries(), 'pg_dump'), options, { maxBuffer: 64 * 1024 * 1024 })
  writeFileSync(join(folder, 'database.dump'), dump)
  console.log(`Kept ${told.length} memories of ${VERSION} in ${folder}: commit it`)
} finally {
  await daemon.remove()
  await server.stop()
}
