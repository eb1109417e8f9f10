import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { takeLock } from '@daybook/runtime/exclusive-lock'
import { silentLogger } from '@daybook/runtime/logger'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DatabaseAddress } from '../connect.ts'
import { copyEmptyCluster } from '../testing/embedded-template.ts'
import { startBundledDatabase, TEST_EMBEDDED_BUNDLE } from '../testing/start-bundled.ts'
import { socketPath } from './host-folder.ts'
import type { EmbeddedDatabase } from './start.ts'

/** `start.ts`, and beside it the process that it starts, as daemons have them. */
const BUNDLE = process.env[TEST_EMBEDDED_BUNDLE] ?? ''

async function query(address: DatabaseAddress, statement: string): Promise<unknown[]> {
  const client = new Client(address.connection)
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query(statement).finally(() => client.end())
  return rows
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('the embedded database', () => {
  let dataDir: string
  const running: EmbeddedDatabase[] = []
  const processes: ChildProcess[] = []
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'daybook-test-'))
    await copyEmptyCluster(dataDir)
  })
  afterEach(async () => {
    for (const database of running.splice(0)) await database.stop()
    for (const child of processes.splice(0)) child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  })
  const start = async (folder = dataDir) => {
    const database = await startBundledDatabase(folder, silentLogger)
    running.push(database)
    return database
  }
  const kill = (database: EmbeddedDatabase) => {
    const pid = database.pid()
    if (pid === undefined) throw new Error('it does not run')
    process.kill(pid, 'SIGKILL')
    return pid
  }

  describe('that runs', () => {
    let database: EmbeddedDatabase
    let folder: string
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'daybook-test-'))
      await copyEmptyCluster(folder)
      database = await startBundledDatabase(folder, silentLogger)
    })
    afterAll(async () => {
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    it('is reached whatever server the environment names', async () => {
      const before = { ...process.env }
      Object.assign(process.env, {
        PGPORT: '6432',
        PGHOST: 'elsewhere',
        PGSSLMODE: 'require',
        PGUSER: 'nobody',
      })
      try {
        expect(await query(database.address, 'select 1 as one')).toEqual([{ one: 1 }])
      } finally {
        for (const name of ['PGPORT', 'PGHOST', 'PGSSLMODE', 'PGUSER']) {
          if (before[name] === undefined) delete process.env[name]
          else process.env[name] = before[name]
        }
      }
    })

    it('refuses a second process on its folder and is not disturbed by it', async () => {
      await query(database.address, 'create table disturbed (n int); insert into disturbed values (1)')
      const paths = [join(folder, 'postgres'), join(folder, 'postgres.lock'), socketPath(folder)]
      const second = fork(join(dirname(BUNDLE), 'embedded-postgres.js'), paths)
      processes.push(second)
      const said = new Promise((resolve) => second.once('message', resolve))
      const code = new Promise((resolve) => second.once('exit', resolve))
      expect(await said).toEqual({ type: 'locked' })
      expect(await code).toBe(1)
      expect(await query(database.address, 'select n from disturbed')).toEqual([{ n: 1 }])
    })

    it('and is killed is started again, with every acknowledged row', async () => {
      await query(database.address, 'create table killed (n int)')
      for (const round of [1, 2]) {
        await query(database.address, `insert into killed select ${round} from generate_series(1, 100)`)
        const killed = kill(database)
        await vi.waitUntil(() => database.pid() !== undefined && database.pid() !== killed)
        expect(await query(database.address, 'select count(*)::int as rows from killed')).toEqual([
          { rows: round * 100 },
        ])
      }
    })
  })

  it('of a daemon that was killed makes room, even if it is stuck', async () => {
    const script = `
      const { startEmbeddedDatabase } = await import('${pathToFileURL(BUNDLE).href}')
      const silent = { info() {}, warn() {}, error() {} }
      const database = await startEmbeddedDatabase(${JSON.stringify(dataDir)}, silent)
      console.log(database.pid())`
    const daemon = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    processes.push(daemon)
    const orphan = Number(
      await new Promise((resolve) => daemon.stdout?.once('data', (data) => resolve(`${data}`))),
    )
    const address = {
      connection: { host: join(dataDir, 'run'), user: 'postgres' },
      maxConnections: 1,
      ownSessions: false,
    }
    await query(address, 'create table t (n int); insert into t values (1)')
    // While stopped, it cannot notice that its parent is gone nor end by itself, as in a statement of
    // minutes.
    process.kill(orphan, 'SIGSTOP')
    daemon.kill('SIGKILL')
    await vi.waitUntil(() => daemon.signalCode !== null)
    expect(isAlive(orphan)).toBe(true)

    const database = await start()
    await vi.waitUntil(() => !isAlive(orphan))
    expect(database.pid()).not.toBe(orphan)
    expect(await query(database.address, 'select n from t')).toEqual([{ n: 1 }])
  })

  it('stops cleanly: its process ends, its lock is free, its rows are there next time', async () => {
    const database = await start()
    const pid = database.pid() ?? 0
    await query(database.address, 'create table t (n int); insert into t values (1)')
    await database.stop()
    expect(isAlive(pid)).toBe(false)
    expect(database.pid()).toBeUndefined()
    const lock = takeLock(join(dataDir, 'postgres.lock'))
    expect(lock).not.toBeNull()
    lock?.release()
    await database.stop()
    // Also where a power cut left Postgres' own lock file empty.
    writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), '')
    expect(await query((await start()).address, 'select n from t')).toEqual([{ n: 1 }])
  })

  it('listens elsewhere when its folder has too long a name for a socket; stopped while it is being started again it leaves no process behind', async () => {
    const deep = join(dataDir, 'x'.repeat(100))
    await copyEmptyCluster(deep)
    const database = await start(deep)
    const { host = '' } = database.address.connection
    expect(host.startsWith(tmpdir())).toBe(true)
    expect(host).not.toContain('xxx')
    expect(existsSync(join(deep, 'postgres', 'postmaster.pid'))).toBe(true)
    expect(await query(database.address, 'select 1 as one')).toEqual([{ one: 1 }])

    const killed = kill(database)
    await vi.waitUntil(() => database.pid() !== killed, { interval: 5 })
    await database.stop()
    const lock = takeLock(join(deep, 'postgres.lock'))
    expect(lock).not.toBeNull()
    lock?.release()
    expect(database.pid()).toBeUndefined()
    rmSync(host, { recursive: true })
  })

  it('that cannot come up says so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-test-'))
    // A cluster without its control file.
    await copyEmptyCluster(folder)
    rmSync(join(folder, 'postgres', 'global'), { recursive: true })
    await expect(startBundledDatabase(folder, silentLogger)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining(join(folder, 'postgres')),
    })
    rmSync(folder, { recursive: true })
  })
})
