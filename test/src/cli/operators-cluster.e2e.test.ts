import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { needing } from '@daybook/runtime/testing/needing'
import { OWN_NATS } from '@daybook/transport/testing/native-nats'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Cluster, SERVICES, startCluster } from '../chaos/cluster.ts'
import { runCli } from './run-cli.ts'

/* The same commands where every service is processes of its own. */

needing(OWN_POSTGRES, OWN_NATS).describe('on a cluster', () => {
  let cluster: Cluster
  const run = (...args: string[]) =>
    runCli(args, { DAYBOOK_URL: cluster.gatewayUrls()[0] ?? '', DAYBOOK_API_KEY: cluster.apiKey })
  const failures = async () => {
    const { exitCode, stdout } = await run('doctor', '--json')
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string }[] }
    const failed = checks.filter(({ status }) => status === 'FAILED').map(({ name }) => name)
    expect(exitCode).toBe(failed.length > 0 ? 1 : 0)
    return failed
  }

  beforeAll(async () => {
    cluster = await startCluster({ embedder: 'test-hash/64', embedderOf: 'all', alone: SERVICES })
    for (const text of ['a giraffe', 'a zebra']) await run('remember', 'note', text)
  })
  afterAll(() => cluster?.stop())

  test('status and doctor reach every part', async () => {
    expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
      projections: [{ name: 'pgvector' }, { name: 'typesense' }],
      system: {
        parts: [
          { name: 'DATABASE', reachable: true },
          { name: 'NATS', reachable: true, version: expect.stringMatching(/^\d/u) },
          { name: 'TYPESENSE', reachable: true, version: '29.0' },
          { name: 'EMBEDDER', reachable: true, version: 'test-hash/64' },
        ],
      },
    })
    // A projector makes the collection and the alias in its first seconds.
    await vi.waitFor(async () => expect(await failures()).toEqual([]))
  })

  test('both projections are made again, verified, taken back and tidied', async () => {
    const rebuilt = await run('reindex', 'all')
    expect(rebuilt).toMatchObject({ exitCode: 0 })
    expect(rebuilt.stdout.match(/^Generation 2 is live/gmu)).toHaveLength(2)
    const verified = await run('verify', 'all', '--journal')
    expect(verified).toMatchObject({ exitCode: 0 })
    expect(verified.stdout.match(/^default .* equal /gmu)).toHaveLength(2)
    expect(await run('reindex', '--rollback')).toMatchObject({ exitCode: 2 })
    expect(await run('reindex', 'all', '--rollback')).toMatchObject({ exitCode: 0 })
    expect((await run('reindex', '--drop-old', '--yes')).stdout.match(/ is being deleted/gu)).toHaveLength(2)
    expect((await run('search', 'zebra')).stdout).toContain('a zebra')
  })

  test('doctor says which part is unavailable', async () => {
    await cluster.typesense.stop()
    await cluster.nats.kill()
    await vi.waitFor(async () => expect(await failures()).toEqual(['nats', 'typesense']))
    expect((await run('status')).stdout).toMatch(/nats AWAY \(.*\) · typesense AWAY/u)
  })
})
