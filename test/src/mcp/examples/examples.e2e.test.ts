import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOOLS } from '@daybook/mcp/tools/index'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDaemon } from '../../support/daemon.ts'
import { SDK_WAYS, tryWay } from './ways.ts'

/*
 * What needs a whole daemon: stdio, and backfilling, which a reindex service does. `npm run test:mcp` tries every way; over HTTP,
 * services/gateway/src/mcp does on every database.
 */

const daemon = createTestDaemon(undefined, { embedder: 'minilm' })
beforeAll(() => daemon.start())
afterAll(() => daemon.remove())

test('the SDK’s client over stdio lists every tool and runs its example', async () => {
  const key = readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim()
  const [open] = SDK_WAYS.slice(-1)
  const way = await open?.({ url: daemon.url() ?? '', key, dataDir: daemon.dataDir })
  if (way === undefined) throw new Error('there is no way')
  try {
    expect(await tryWay(way)).toEqual([])
    expect(TOOLS.map(({ name }) => name)).toContain('backfill_embeddings')
  } finally {
    await way.close()
  }
})
