import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@daybook/memory/id'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { ensureProject } from '@daybook/postgres/access/projects'
import { openDatabase, serverAddress } from '@daybook/postgres/connect'
import { createNativeDatabase, type NativeDatabase, POSTGRES } from '@daybook/postgres/testing/test-database'
import { needing } from '@daybook/runtime/testing/needing'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createServiceProcess, type ServiceProcess } from '../chaos/service-process.ts'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { type CliResult, runCli, startCli } from './run-cli.ts'

/* What operators do with the real binary, against a real daemon. */

const EMBEDDER = { DAYBOOK_EMBEDDER: 'test-hash/64' }

interface OperationJson {
  readonly id: string
  readonly type: string
  readonly status: string
  // oxlint-disable-next-line typescript/no-explicit-any -- the shape of a result is what the tests assert
  readonly result: Record<string, any> | null
}

/** The command line of somebody with this environment. */
function commandLine(environment: () => Record<string, string>) {
  const run = (...args: string[]): Promise<CliResult> => runCli(args, environment())
  return {
    run,
    async json<Answer>(...args: string[]): Promise<Answer> {
      const { stdout, stderr } = await run(...args, '--json')
      if (stdout === '') throw new Error(stderr)
      return JSON.parse(stdout) as Answer
    },
    async operations(...args: string[]): Promise<OperationJson[]> {
      const { stdout, stderr } = await run(...args, '--json')
      if (stdout === '') throw new Error(stderr)
      return (JSON.parse(stdout) as { operations: OperationJson[] }).operations
    },
    async generations(): Promise<string[]> {
      const { stdout } = await run('reindex', '--list', '--json')
      const { generations } = JSON.parse(stdout) as { generations: { generation: number; status: string }[] }
      return generations.map(({ generation, status }) => `${generation} ${status.toLowerCase()}`)
    },
  }
}

interface CheckJson {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly advice: string | null
}

describe('on the embedded database', () => {
  const daemon = createTestDaemon(undefined, { environment: EMBEDDER })
  const environment = () => ({ DAYBOOK_URL: daemon.url() ?? '', DAYBOOK_DATA_DIR: daemon.dataDir })
  const { run, json, operations, generations } = commandLine(environment)
  beforeAll(async () => {
    await daemon.start()
    for (const text of ['a giraffe', 'a zebra', 'an okapi']) await run('remember', 'note', text)
  })
  afterAll(() => daemon.remove())

  test('status says how much there is of everything', async () => {
    const { stdout } = await run('status')
    expect(stdout).toMatch(
      /All projects \(1\): 3 events, \d memories to be found; the database takes [\d.]+ MiB/u,
    )
    expect(stdout).toContain('embedder test-hash/64')
    expect(await json('status')).toMatchObject({
      system: { projects: 1, events: 3, failedTexts: 0 },
      generations: [{ projection: 'PGVECTOR', generation: 1, status: 'LIVE', model: 'test-hash/64' }],
    })
  })

  test('status --watch shows it again and again, also while the daemon is unavailable', async () => {
    const watching = startCli(['status', '--watch', '0.2', '--json'], environment())
    const seen = () =>
      watching
        .stdout()
        .split('\n')
        .slice(0, -1)
        .map((line) => (JSON.parse(line) as { ready: boolean }).ready)
    // A busy machine may not answer in time.
    await vi.waitFor(() => expect(seen().filter((ready) => ready).length).toBeGreaterThanOrEqual(3))
    watching.process.kill('SIGINT')
    expect((await watching.ended).exitCode).toBe(0)

    const away = startCli(
      ['status', '--watch', '0.2', '--json', '--url', 'http://127.0.0.1:9'],
      environment(),
    )
    await vi.waitFor(() => expect(away.stdout().split('\n').length).toBeGreaterThan(3))
    away.process.kill('SIGINT')
    expect(await away.ended).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('"reachable":false'),
    })
    expect(await run('status', '--watch', 'soon')).toMatchObject({ exitCode: 2 })
  })

  test('reindex builds a generation beside the live one; rollback and drop-old do what they say', async () => {
    const rebuilt = await run('reindex', 'pgvector')
    expect(rebuilt).toMatchObject({ exitCode: 0 })
    expect(rebuilt.stdout).toContain('Generation 2 is live, with vectors of test-hash/64')
    expect(await generations()).toEqual(['1 old', '2 live'])

    expect((await run('reindex', '--rollback')).stdout).toContain('Generation 1 of pgvector is live again')
    expect(await generations()).toEqual(['1 live', '2 old'])

    const asked = await run('reindex', '--drop-old')
    expect(asked).toMatchObject({ exitCode: 2, stdout: '' })
    expect(asked.stderr).toContain('--yes')
    expect(await generations()).toEqual(['1 live', '2 old'])
    expect(await run('reindex', '--drop-old', '--yes')).toMatchObject({ exitCode: 0 })
    await vi.waitFor(async () => expect(await generations()).toEqual(['1 live']))
    const nothing = await run('reindex', 'pgvector', '--rollback')
    expect(nothing).toMatchObject({ exitCode: 1, stdout: '' })
    expect(nothing.stderr).toContain('no old generation of pgvector')
    expect((await run('search', 'zebra')).stdout).toContain('a zebra')
  })

  test('verify, replay and backfill find nothing to mend', async () => {
    const verified = await run('verify', 'all', '--journal')
    expect(verified).toMatchObject({ exitCode: 0 })
    expect(verified.stdout).toMatch(/default +3 +3 +0 +0 +0 +equal +[0-9a-f]{16}/u)
    expect(verified.stdout).toMatch(/default +3 +0 +3 +unbroken/u)
    expect((await operations('verify', '--incremental')).map(({ result }) => result)).toMatchObject([
      { clean: true, different: 0 },
    ])
    expect((await operations('replay', '--from', '2'))[0]?.result).toEqual({ published: 2 })
    expect((await operations('replay', '--from', '1', '--projection', 'pgvector'))[0]?.result).toMatchObject({
      rewritten: 3,
    })
    expect((await operations('backfill'))[0]?.result).toEqual({ done: 0, skipped: 3, failed: 0 })
    expect((await operations('reindex', 'pgvector', '--kinds', 'note,todo'))[0]?.result).toMatchObject({
      rewritten: 3,
    })
    expect((await run('parked', 'list')).stdout).toBe('No event is parked.\n')
  })

  test('what is detached can be watched and shown later', async () => {
    const [queued] = await operations('verify', 'pgvector', '--detach')
    expect(queued).toMatchObject({ type: 'VERIFY', status: 'QUEUED' })
    const watched = await operations('operations', 'watch', queued?.id ?? '')
    expect(watched).toMatchObject([{ id: queued?.id, status: 'SUCCEEDED' }])
    expect((await run('operations', 'show', queued?.id ?? '')).stdout).toContain(
      'It is what the journal says.',
    )
    expect((await run('operations')).stdout).toContain(queued?.id)
    const late = await run('operations', 'cancel', queued?.id ?? '')
    expect(late).toMatchObject({ exitCode: 1 })
    expect(late.stderr).toContain('has ended already: succeeded')
  })

  test('doctor finds every part well', async () => {
    const { exitCode, stdout } = await run('doctor')
    expect(exitCode).toBe(0)
    // On a busy machine it warns that the database answers slowly.
    expect(stdout).toMatch(/^(?:OK|WARNING) +database +The embedded Postgres/mu)
    const { ok, checks } = await json<{ ok: boolean; checks: CheckJson[] }>('doctor')
    expect(ok).toBe(true)
    expect(checks.filter(({ status }) => status === 'FAILED')).toEqual([])
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['node', 'url', 'version', 'ready', 'key', 'migrations', 'embedder', 'disk']),
    )
  })

  test('doctor says what keeps it from the daemon', async () => {
    const failed = async (args: string[], more: Record<string, string> = {}) => {
      const { exitCode, stdout } = await runCli(['doctor', '--json', ...args], { ...environment(), ...more })
      expect(exitCode).toBe(1)
      const { checks } = JSON.parse(stdout) as { checks: CheckJson[] }
      return checks.filter(({ status }) => status === 'FAILED').map(({ name }) => name)
    }
    expect(await failed(['--url', 'http://127.0.0.1:9'])).toEqual(['url'])
    expect(await failed([], { DAYBOOK_API_KEY: 'dbk_wrong' })).toEqual(['key'])
  })

  test('what the command line does not say is asked for', async () => {
    const wrong = [
      ['reindex'],
      ['reindex', 'elasticsearch'],
      ['reindex', '--list', '--rollback'],
      ['replay'],
      ['replay', '--from', '0'],
      ['replay', '--from', '1', '--projection', 'all'],
      ['parked', 'retry'],
      ['parked', 'retry', newId(), '--all'],
    ]
    for (const result of await Promise.all(wrong.map((args) => run(...args))))
      expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    const refused = [
      ['reindex', 'typesense'],
      ['reindex', 'pgvector', '--model', 'gpt'],
      ['replay', '--from', '1', '--to', '999'],
      ['verify', '--project', 'nowhere'],
      ['operations', 'cancel'],
      ['operations', 'watch', newId()],
      ['parked', 'show', '7'],
    ]
    for (const result of await Promise.all(refused.map((args) => run(...args))))
      expect(result).toMatchObject({ exitCode: 1, stdout: '' })
  })

  test('a language is set, and the indexes are rebuilt in it (capability 10)', async () => {
    await run('remember', 'note', 'Die Häuser am Fluss')
    const found = async (query: string) => (await run('search', query, '--mode', 'keyword')).stdout
    await vi.waitFor(async () => expect(await found('hauser')).toContain('Die Häuser am Fluss'))
    expect(await found('haus')).toBe('')
    expect(await run('language', 'klingon')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('german'),
    })
    const changed = await run('language', 'german')
    expect(changed).toMatchObject({ exitCode: 0 })
    expect(changed.stdout).toContain('default is in german from the next generation on.')
    expect((await run('language')).stdout).toContain('default is in german.')
    expect(await found('haus')).toContain('Die Häuser am Fluss')
    expect(await run('verify', 'pgvector')).toMatchObject({ exitCode: 0 })
    expect(await run('language', 'english')).toMatchObject({ exitCode: 0 })
    expect(await found('haus')).toBe('')
  })
})

needing(POSTGRES).describe('on native Postgres, which the test can reach into', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-operators-'))
  let database: NativeDatabase
  let daemon: TestDaemon
  let sql: Client
  const environment = () => ({ DAYBOOK_URL: daemon.url() ?? '', DAYBOOK_DATA_DIR: daemon.dataDir })
  const { run, json, operations } = commandLine(environment)
  const query = async (text: string, values: unknown[] = []) =>
    (await sql.query<Record<string, string>>(text, values)).rows

  beforeAll(async () => {
    database = await createNativeDatabase()
    daemon = createTestDaemon(undefined, { environment: { ...EMBEDDER, DATABASE_URL: database.url } })
    await daemon.start()
    const lines = Array.from({ length: 40 }, (_, index) =>
      JSON.stringify({ content: { note: { text: `platypus ${index}` } } }),
    )
    writeFileSync(join(folder, 'memories.jsonl'), lines.join('\n'))
    const imported = await run('import', join(folder, 'memories.jsonl'), '--wait')
    if (imported.exitCode !== 0) throw new Error(imported.stderr)
    sql = new Client({ connectionString: database.url })
    await sql.connect()
    await sql.query('set search_path = daybook, public')
  })
  afterAll(async () => {
    await sql?.end()
    await daemon?.remove()
    await database?.drop()
    rmSync(folder, { recursive: true })
  })

  test('verify names the memory whose row was changed, and repairs it', async () => {
    const [broken] = await query(
      `update pgvector_1.memories set importance = 9 where memory_id = (select max(memory_id::text)::uuid from pgvector_1.memories)
       returning memory_id`,
    )
    const id = broken?.['memory_id'] ?? ''
    const found = await run('verify', 'pgvector')
    expect(found).toMatchObject({ exitCode: 1 })
    expect(found.stdout).toContain(`default: memory ${id} differs in row`)
    expect(found.stdout).toContain('1 differs')
    expect(found.stdout).toContain('daybook verify pgvector --repair')

    const repaired = await run('verify', 'pgvector', '--repair')
    expect(repaired).toMatchObject({ exitCode: 0 })
    expect(repaired.stdout).toContain('What differed is repaired.')
    const [row] = await query(`select importance from pgvector_1.memories where memory_id = $1`, [id])
    expect(Number(row?.['importance'])).toBe(5)
    expect(await run('verify')).toMatchObject({ exitCode: 0 })
  })

  test('verify names twenty of many, and says how to see the others', async () => {
    await query(`update pgvector_1.memories set importance = 9`)
    const found = await run('verify', 'pgvector')
    expect(found.stdout.match(/^default: memory/gmu)).toHaveLength(20)
    const seeAll = /… and 20 more\. Those that are noted: {2}daybook (operations show \S+)/u.exec(
      found.stdout,
    )?.[1]
    const all = await run(...(seeAll ?? '').split(' '))
    expect(all.stdout.match(/^default: memory/gmu)).toHaveLength(40)
    const [repair] = await operations('verify', '--repair')
    expect(repair?.result).toMatchObject({ clean: true, different: 0, repaired: 40 })
  })

  test('verify --journal names the event whose data was changed', async () => {
    const [before] = await query(
      `update events set data = jsonb_set(data, '{state,importance}', '9') where sequence = 7 returning memory_id`,
    )
    const found = await run('verify', '--journal')
    expect(found).toMatchObject({ exitCode: 1 })
    expect(found.stdout).toMatch(/ 1 problem /u)
    expect(found.stdout).toMatch(/^default: sequence 7: .*its data does not match its hash/mu)
    await query(`update events set data = jsonb_set(data, '{state,importance}', '5') where sequence = 7`)
    expect(before?.['memory_id']).toBeDefined()
    expect(await run('verify', '--journal')).toMatchObject({ exitCode: 0 })
  })

  test('parked events are listed, shown, retried and dropped', async () => {
    const park = async (sequence: number): Promise<string> => {
      const [row] = await query(
        `insert into parked_events (projection, generation, project_id, sequence, memory_id, error, attempts)
         select 'pgvector', 1, project_id, sequence, memory_id, E'too \\u001B[2Jstrange', 5 from events where sequence = $1
         returning memory_id`,
        [sequence],
      )
      return row?.['memory_id'] ?? ''
    }
    const [first, second] = [await park(3), await park(4)]
    const { stdout } = await run('parked')
    expect(stdout).toMatch(
      new RegExp(`3  default  pgvector    ${first} .* 5  (?:just now|\\d+ \\w+ ago)  too strange`, 'u'),
    )
    expect((await run('parked', 'show', '3')).stdout).toContain('title:    platypus 2 (note)')
    expect(await json('status')).toMatchObject({ projections: [{ parked: 2 }] })
    const { checks } = await json<{ checks: CheckJson[] }>('doctor')
    expect(checks.find(({ name }) => name === 'parked')).toMatchObject({
      status: 'WARNING',
      advice: expect.stringContaining('daybook parked list'),
    })

    expect(await run('parked', 'drop', '4')).toMatchObject({ exitCode: 2, stdout: '' })
    const dropped = await run('parked', 'drop', '4', '--yes')
    expect(dropped).toMatchObject({ exitCode: 0 })
    expect(dropped.stdout).toContain(`daybook parked retry ${second}`)
    expect((await operations('parked', 'retry', '--all'))[0]?.result).toEqual({ retried: 1, failed: 0 })
    const { parked } = await json<{ parked: object[] }>('parked', 'list')
    expect(parked).toMatchObject([{ sequence: 4, droppedAt: expect.any(String) }])
    // A rebuild tries it again.
    await query(`delete from parked_events`)
  })

  test('a key for its project alone sees its status, and is told what it may not do', async () => {
    const db = openDatabase(serverAddress(database.url, 1), { role: null })
    const key = await createApiKey(db, await ensureProject(db, 'shop'), 'shop').finally(() => db.destroy())
    const asShop = (...args: string[]) => runCli(args, { ...environment(), DAYBOOK_API_KEY: key })
    const status = await asShop('status', '--json')
    expect(JSON.parse(status.stdout)).toMatchObject({ ready: true, projections: [{ head: 0 }], system: null })
    expect((await asShop('status')).stdout).not.toContain('All projects')
    const refused = await asShop('verify')
    expect(refused).toMatchObject({ exitCode: 4, stdout: '' })
    expect(refused.stderr).toContain('DAYBOOK_API_KEY')
    const doctor = await asShop('doctor', '--json')
    expect(doctor.exitCode).toBe(1)
    const { checks } = JSON.parse(doctor.stdout) as { checks: CheckJson[] }
    expect(checks.at(-1)).toMatchObject({ name: 'admin', status: 'FAILED' })
  })

  describe('with a gateway and no reindex service', () => {
    let gateway: ServiceProcess
    const lonely = () => ({ DAYBOOK_URL: gateway.url() ?? '', DAYBOOK_DATA_DIR: daemon.dataDir })
    beforeAll(async () => {
      await daemon.stop()
      gateway = createServiceProcess({
        name: 'gateway-1',
        service: 'gateway',
        folder,
        environment: { ...EMBEDDER, DATABASE_URL: database.url },
      })
      await gateway.start()
    })
    afterAll(async () => {
      await gateway?.stop()
    })

    test('what nobody takes is said, can be left alone, is found by the doctor, and cancelled', async () => {
      const at = commandLine(lonely)
      const waiting = startCli(['verify', 'pgvector'], lonely())
      await vi.waitFor(() => expect(waiting.stderr()).toContain('npm run start:reindex'))
      const busy = await at.run('reindex', 'pgvector')
      expect(busy).toMatchObject({ exitCode: 1, stdout: '' })
      expect(busy.stderr).toContain('daybook operations cancel')
      waiting.process.kill('SIGINT')
      const left = await waiting.ended
      expect(left).toMatchObject({ exitCode: 130, stdout: '' })
      const id = /daybook operations watch (\S+)/u.exec(left.stderr)?.[1] ?? ''

      await vi.waitFor(async () => {
        const { exitCode, stdout } = await at.run('doctor')
        expect(exitCode).toBe(1)
        expect(stdout).toMatch(/^FAILED +operations +Nobody works on verify of pgvector/mu)
      })
      expect((await at.run('reindex', '--cancel', 'pgvector')).stdout).toContain('was cancelled')
      expect((await at.operations('operations'))[0]).toMatchObject({ id, status: 'CANCELLED' })
    })
  })
})
