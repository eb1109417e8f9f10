import { join } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { it } from 'vitest'
import { createTestDaemon } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'
import { filesWith } from './files-with.ts'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { startNativeNats } from '@daybook/transport/testing/native-nats'
import { Client } from 'pg'
import { nativeTypesenseProgram, startNativeTypesense } from '@daybook/typesense-double/native-typesense'
import { execFileSync } from 'node:child_process'

const MARK = 'zqmarkx71'
const inputs = Array.from({ length: 40 }, (_, i) => ({ content: { note: { text: `${MARK} secret number ${i} of the harbour` } }, context: 'gone' }))
const others = Array.from({ length: 40 }, (_, i) => ({ content: { note: { text: `other number ${i} of the harbour` } }, context: 'stays' }))
const MANY = 'mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }'
async function fill(daemon: ReturnType<typeof createTestDaemon>) {
  dataOf(await daemon.graphql({ query: MANY, variables: { inputs: others } }))
  dataOf(await daemon.graphql({ query: MANY, variables: { inputs } }))
  await pause(3000)
  console.log('erase', JSON.stringify(await daemon.graphql({ query: 'mutation { eraseMany(filter: { context: "gone" }, dryRun: false) { ... on ErasedMany { memories behind } ... on DaybookError { message } } }' })))
  await pause(5000)
}
it.skip('embedded', async () => {
  const daemon = createTestDaemon(undefined, { environment: { DAYBOOK_EMBEDDER: 'test-hash/64' } })
  await daemon.start()
  await fill(daemon)
  console.log('running', filesWith(daemon.dataDir, MARK))
  await daemon.stop()
  console.log('stopped', filesWith(daemon.dataDir, MARK))
  await daemon.start()
  await pause(3000)
  await daemon.stop()
  console.log('restarted', filesWith(daemon.dataDir, MARK))
  await daemon.remove()
}, 120_000)
it('native', async () => {
  const server = await startNativeServer()
  const nats = await startNativeNats()
  const ts = nativeTypesenseProgram() === null ? null : await startNativeTypesense()
  const daemon = createTestDaemon(undefined, { environment: { DAYBOOK_EMBEDDER: 'test-hash/64', DATABASE_URL: server.url, NATS_URL: nats.url, ...(ts && { TYPESENSE_URL: ts.url, TYPESENSE_API_KEY: ts.apiKey }) } })
  await daemon.start()
  await fill(daemon)
  const folder = join(decodeURIComponent(server.url.slice(server.url.indexOf('@') + 1, server.url.lastIndexOf('/'))))
  const client = new Client({ connectionString: server.url })
  await client.connect()
  const look = (what: string) => console.log(what, filesWith(folder, MARK))
  look('after')
  await client.query('checkpoint'); look('checkpoint')
  await client.query('vacuum'); await client.query('checkpoint'); look('vacuum')
  await client.query('vacuum full'); await client.query('checkpoint'); look('vacuum full')
  await client.query("alter system set wal_recycle = off"); await client.query('select pg_reload_conf()'); await pause(500)
  await client.query('select pg_switch_wal()'); await client.query('checkpoint'); await client.query('select pg_switch_wal()'); await client.query('checkpoint'); look('wal switch')
  console.log('nats', execFileSync('bash', ['-c', `grep -rl ${MARK} /tmp/daybook-nats-*/ || true`]).toString())
  console.log('ts', execFileSync('bash', ['-c', `grep -rl ${MARK} /tmp/daybook-typesense-*/ || true`]).toString())
  await client.end()
  await daemon.remove(); await nats.stop(); await ts?.stop(); await server.stop()
}, 180_000)
