import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureProject } from '@daybook/postgres/access/projects'
import { openDatabase } from '@daybook/postgres/connect'
import { type EmbeddedDatabase } from '@daybook/postgres/embedded/start'
import { migrate } from '@daybook/postgres/migrate'
import { projectScope } from '@daybook/postgres/project-scope'
import { copyEmptyCluster } from '@daybook/postgres/testing/embedded-template'
import { startBundledDatabase } from '@daybook/postgres/testing/start-bundled'
import { pause } from '@daybook/runtime/backoff'
import { silentLogger } from '@daybook/runtime/logger'
import { needing } from '@daybook/runtime/testing/needing'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkDatabase } from './checks/database.ts'
import { REMEMBER, startTestGateway, type TestGateway } from './testing/test-gateway.ts'

/** A disk of its own for the test. @returns its folder, or why this user may not mount one */
function mountDisk(megabytes: number): { folder: string } | { problem: string } {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', folder], { stdio: 'pipe' })
    return { folder }
  } catch (error) {
    rmSync(folder, { recursive: true })
    return { problem: `This user may not mount one (${String(error)}).` }
  }
}

const disk = mountDisk(240)

needing({
  name: 'a full disk',
  problem: 'problem' in disk ? disk.problem : null,
  optional: true,
}).describe('a full disk', () => {
  const folder = 'folder' in disk ? disk.folder : ''
  let embedded: EmbeddedDatabase
  let gateway: TestGateway
  let db: ReturnType<typeof openDatabase>
  beforeAll(async () => {
    await copyEmptyCluster(folder)
    embedded = await startBundledDatabase(folder, silentLogger)
    await migrate(embedded.address)
    db = openDatabase(embedded.address)
    const newProject = async () => projectScope(db, await ensureProject(db, `test-${Date.now()}`))
    gateway = await startTestGateway({ address: embedded.address, db, newProject } as never, null)
  })
  afterAll(async () => {
    await gateway?.stop()
    await db?.destroy()
    await embedded?.stop()
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  })
  const filler = () => join(folder, 'filler')
  const fill = (leftBytes = 0) => {
    const { bavail, bsize } = statfsSync(folder)
    try {
      writeFileSync(filler(), Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)))
    } catch (error) {
      // The database takes some of it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  const check = () =>
    checkDatabase({ db, config: { databaseUrl: undefined } } as unknown as Parameters<
      typeof checkDatabase
    >[0])

  it('is named by what it refuses and by doctor, and forgotten when there is room', async () => {
    const client = await gateway.newClient()
    // Of words that are all different, so that nothing of it is packed away.
    const text = (from: number) =>
      Array.from({ length: 5_000 }, (_, i) => (from * 5_000 + i).toString(36)).join(' ')
    const remember = async (from: number) =>
      (await client.send(REMEMBER, { input: { content: { note: { text: text(from) } } } })).body
    expect((await remember(0)).errors).toBeUndefined()
    expect((await check()).status).not.toBe('FAILED')
    fill()
    let refused: Awaited<ReturnType<typeof remember>> | undefined
    for (let attempt = 1; attempt < 200 && refused === undefined; attempt += 1) {
      const body = await remember(attempt)
      if (body.errors !== undefined) refused = body
    }
    expect(refused?.errors).toMatchObject([
      { message: expect.stringContaining('disk is full'), extensions: { code: 'UNAVAILABLE' } },
    ])
    expect(await check()).toMatchObject({
      status: 'FAILED',
      message: expect.stringContaining('disk is full'),
    })
    rmSync(filler())
    await expect.poll(() => remember(500)).not.toHaveProperty('errors')
    // It also says whether the database is slow, which it is for a moment after the disk was full.
    await expect.poll(async () => (await check()).status).not.toBe('FAILED')
  })

  it('without room for the next segment of the write-ahead log is only read, and written again by itself when there is room', async () => {
    const client = await gateway.newClient()
    expect((await client.send(REMEMBER, { input: note('a lighthouse') })).body).not.toHaveProperty('errors')
    const search = async () => (await client.send('{ search(query: "lighthouse") { hits { score } } }')).body
    const found = { data: { search: { hits: [expect.anything()] } } }
    await expect.poll(search).toMatchObject(found)
    const reserve = () => statSync(join(folder, 'postgres.reserve'), { throwIfNoEntry: false })?.size
    await expect.poll(reserve).toBe(32 * 1024 * 1024)
    const first = embedded.pid()
    fill(12_000_000)
    // 7 MB of log each.
    const write = () =>
      sql`select pg_logical_emit_message(false, 'test', repeat(md5(random()::text), 200000))`.execute(db)
    for (let attempt = 0; attempt < 200 && embedded.pid() === first; attempt += 1)
      await write().catch(() => pause(50))
    expect(embedded.pid()).not.toBe(first)
    await expect.poll(search).toMatchObject(found)
    const refused = await client.send(REMEMBER, { input: note('there is no room') })
    expect(refused.body.errors).toMatchObject([
      { message: expect.stringContaining('disk is full'), extensions: { code: 'UNAVAILABLE' } },
    ])
    expect(await check()).toMatchObject({
      status: 'FAILED',
      message: expect.stringContaining('disk is full'),
    })
    rmSync(filler())
    await expect
      .poll(async () => (await client.send(REMEMBER, { input: note('there is room') })).body)
      .not.toHaveProperty('errors')
  })
})

const note = (text: string) => ({ content: { note: { text } } })
