import { startSwitchingProxy } from '@daybook/postgres/testing/switching-proxy'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { type CliResult, runCli } from './run-cli.ts'

/* daybook follow and daybook sync with the real binary, between two real daemons. */

interface FollowedJson {
  readonly project: { readonly id: string; readonly name: string }
  readonly state: string
  readonly copied: number
  readonly waiting: number
  readonly openConflicts: number
  readonly rule: string
}

interface ConflictJson {
  readonly id: string
  readonly resolution: string | null
  readonly command: { readonly type: string }
}

interface MemoryJson {
  readonly id: string
  readonly shared: boolean
}

const environment = { DAYBOOK_EMBEDDER: 'none' }
const SHOP = ['--project', 'shop']

describe('a project of one daemon, followed by another', () => {
  let proxy: Awaited<ReturnType<typeof startSwitchingProxy>>
  let home: TestDaemon
  let laptop: TestDaemon
  let homeUrl = ''
  let key = ''
  /** Of each daemon, a key for all its projects. */
  const keys = new Map<TestDaemon, string>()
  beforeAll(async () => {
    proxy = await startSwitchingProxy()
    homeUrl = `http://127.0.0.1:${proxy.port}`
    home = createTestDaemon(undefined, {
      environment: {
        ...environment,
        DAYBOOK_ALLOWED_HOSTS: `127.0.0.1:${proxy.port}`,
        DAYBOOK_NEXT_HOMES: '127.0.0.1',
      },
    })
    laptop = createTestDaemon(undefined, { environment })
    await Promise.all([home.start(), laptop.start()])
    reachable(true)
    for (const daemon of [home, laptop]) {
      const { stdout } = await as(() => daemon)(
        'keys',
        'create',
        'all',
        '--all-projects',
        '--scope',
        'read,write,admin',
      )
      keys.set(daemon, stdout.trim())
    }
    await atHome('projects', 'create', 'shop')
    for (const text of ['a giraffe', 'a zebra', 'an okapi']) await atHome('remember', 'note', text, ...SHOP)
    key = (
      await atHome('keys', 'create', 'laptop', ...SHOP, '--scope', 'read,write,follow,admin')
    ).stdout.trim()
  })
  afterAll(async () => {
    await laptop?.remove()
    await home?.remove()
    await proxy?.stop()
  })

  const reachable = (can: boolean) =>
    proxy.route(can ? { host: '127.0.0.1', port: Number(new URL(home.url() ?? '').port) } : null)
  const as =
    (daemon: () => TestDaemon, input = '') =>
    (...args: string[]): Promise<CliResult> =>
      runCli(
        args,
        {
          DAYBOOK_URL: daemon().url() ?? '',
          DAYBOOK_DATA_DIR: daemon().dataDir,
          ...(keys.has(daemon()) && { DAYBOOK_API_KEY: keys.get(daemon()) ?? '' }),
        },
        input,
      )
  const atHome = as(() => home)
  const here = as(() => laptop)
  async function json<Answer>(...args: string[]): Promise<Answer> {
    const { stdout, stderr } = await here(...args, '--json')
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout) as Answer
  }
  const standing = async () => {
    const { followed } = await json<{ followed: FollowedJson[] }>('sync', 'status', ...SHOP)
    return followed[0]
  }
  const untilStanding = (expected: Partial<FollowedJson>) =>
    vi.waitFor(async () => expect(await standing()).toMatchObject(expected), {
      interval: 200,
    })
  const remember = async (text: string, ...more: string[]) =>
    (await json<{ memory: MemoryJson }>('remember', 'note', text, ...SHOP, ...more)).memory
  const conflicts = async (...more: string[]) =>
    (await json<{ conflicts: ConflictJson[] }>('sync', 'conflicts', ...SHOP, ...more)).conflicts

  test('each command has help with examples', async () => {
    expect((await here('help', 'follow')).stdout).toContain('Examples:\n  daybook follow https://')
    expect((await here('sync', '--help')).stdout).toContain('daybook sync resolve --all --theirs')
  })

  test('nothing is followed at first, and each command says how to begin', async () => {
    const { stdout } = await here('sync')
    expect(stdout).toContain('No project here follows another Daybook')
    expect(stdout).toContain('daybook follow <url>')
    expect(await json('sync', 'status')).toEqual({ followed: [] })
    expect(await here('sync', 'pause')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('daybook follow'),
    })
    expect((await here('status', '--project', 'default')).stdout).not.toContain('Sync:')
  })

  test('following says what is wrong with the address or the key, and changes nothing', async () => {
    const begin = (...args: string[]) => here('follow', ...args)
    expect(await begin(homeUrl, ...SHOP)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('DAYBOOK_HOME_KEY'),
    })
    expect(await begin(homeUrl, '--key', key)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--project'),
    })
    const away = await begin('http://127.0.0.1:9', ...SHOP, '--key', key)
    expect(away).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('does not answer') })
    const wrong = await begin(homeUrl, ...SHOP, '--key', `dbk_${'x'.repeat(36)}`)
    expect(wrong).toMatchObject({ exitCode: 1 })
    expect(wrong.stderr).not.toContain('xxx')
    const reader = (await atHome('keys', 'create', 'reader', ...SHOP, '--scope', 'read')).stdout.trim()
    const unscoped = await begin(homeUrl, ...SHOP, '--key', reader)
    expect(unscoped).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('scope FOLLOW') })
    expect(unscoped.stderr).not.toContain('reindex')
    expect(await json('sync', 'status')).toEqual({ followed: [] })
  })

  test('a project is followed with the key from standard input, and can be searched at the end of --wait', async () => {
    const { stdout, stderr, exitCode } = await as(() => laptop, `${key}\n`)(
      'follow',
      homeUrl,
      ...SHOP,
      '--wait',
    )
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    expect(stdout).toContain(`The project "shop" follows ${homeUrl} from now on.`)
    expect(stdout).toContain('Everything is here and can be searched: 3 events')
    expect(stdout).toContain('daybook sync status --project shop')
    expect(stdout + stderr).not.toContain(key)
    expect((await here('search', 'okapi', ...SHOP)).stdout).toContain('an okapi')
    const status = await here('sync')
    expect(status.stdout).toContain(`shop, whose home is ${homeUrl}`)
    expect(status.stdout).toContain('connected: everything that the home has is here')
    expect(status.stdout).toContain('events: 3 of 3  lag: 0 events')
    expect(status.stdout).toContain('branch: nothing waits')
    expect(status.stdout).toContain('the rule: the latest wins')
    await untilStanding({ state: 'CONNECTED', copied: 3, waiting: 0, rule: 'LATEST_WINS' })
    expect((await here('status', ...SHOP)).stdout).toContain('Sync: 1 project is followed: connected')
  })

  test('a key that does not open the project is told so', async () => {
    const first = (...args: string[]) =>
      runCli(args, { DAYBOOK_URL: laptop.url() ?? '', DAYBOOK_DATA_DIR: laptop.dataDir })
    const { stdout, stderr, exitCode } = await first('follow', homeUrl, ...SHOP, '--key', key, '--wait')
    expect({ stdout, stderr, exitCode }).toEqual({ stdout, stderr: '', exitCode: 0 })
    expect(stdout).toContain('daybook keys create <name> --project shop')
    expect((await first('sync', ...SHOP)).stdout).toContain('connected')
    const closed = await first('sync', 'conflicts', ...SHOP)
    expect(closed).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('daybook keys create') })
  })

  test('followed again, it keeps its rule, unless another is said', async () => {
    const again = (...more: string[]) =>
      json<{ again: boolean; followed: FollowedJson }>('follow', homeUrl, ...SHOP, '--key', key, ...more)
    expect(await again('--rule', 'ask')).toMatchObject({ again: true, followed: { rule: 'ASK' } })
    expect(await again()).toMatchObject({ again: true, followed: { rule: 'ASK' } })
    expect((await here('sync', 'rule', 'latest-wins')).stdout).toContain('the latest wins')
    expect((await here('sync', 'rule')).stdout).toContain('the latest wins')
    expect(await here('sync', 'rule', 'nobody')).toMatchObject({ exitCode: 2 })
    await untilStanding({ state: 'CONNECTED', rule: 'LATEST_WINS' })
  })

  test('what is written without the home says so, everywhere, until it is there', async () => {
    const shared = await here('remember', 'note', 'a lion', ...SHOP)
    expect(shared).toMatchObject({ exitCode: 0, stderr: '' })
    reachable(false)
    const written = await here('remember', 'note', 'a tapir in the rain', ...SHOP)
    expect(written).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Not shared yet') })
    const { memories } = await json<{ memories: MemoryJson[] }>('list', ...SHOP, '--limit', '1')
    expect(memories).toMatchObject([{ shared: false }])
    const id = memories[0]?.id ?? ''
    expect((await here('get', id, ...SHOP)).stdout).toMatch(/^Not shared yet: /u)
    expect((await here('list', ...SHOP)).stdout).toMatch(/a tapir in the rain \(not shared yet\)/u)
    await vi.waitFor(async () =>
      expect((await here('search', 'tapir', ...SHOP)).stdout).toContain('[not shared yet]'),
    )
    expect((await here('list', ...SHOP)).stdout).not.toMatch(/a lion \(not shared/u)
    const changes = [
      ['revise', id, 'a tapir in the sun'],
      ['forget', id],
      ['restore', id],
      ['index', 'package.json'],
    ]
    for (const change of changes)
      expect(await here(...change, ...SHOP), change[0]).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('Not shared yet'),
      })
    expect(JSON.parse((await here('forget', id, ...SHOP, '--json')).stdout)).toMatchObject({
      memory: { shared: false },
    })
    await here('restore', id, ...SHOP)
    const status = await here('sync')
    expect(status.stdout).toContain('offline: reads and searches go on')
    expect(status.stdout).toMatch(
      /branch: 7 changes wait for the home, the oldest given (?:just now|\d+ \w+ ago)/u,
    )
    expect(status.stdout).toContain('daybook sync promote --lost --project shop')
    expect((await here('status', ...SHOP)).stdout).toContain(
      'Sync: 1 project is followed: offline; 7 changes wait for the home  daybook sync status',
    )
    expect((await here('status', '--json', ...SHOP)).stdout).toContain('"waiting":7')

    const refused = await here('sync', 'unfollow', ...SHOP, '--yes')
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('7 changes are only here') })
    expect(refused.stderr).toContain('--drop-unshared')
    reachable(true)
    await untilStanding({ state: 'CONNECTED', waiting: 0 })
    await vi.waitFor(async () =>
      expect((await atHome('get', id, ...SHOP)).stdout).toContain('a tapir in the sun'),
    )
    expect((await here('get', id, ...SHOP)).stdout).not.toContain('Not shared')
  })

  test('a pause is one, and ends', async () => {
    expect((await here('sync', 'pause')).stdout).toContain('daybook sync resume --project shop')
    expect((await here('sync')).stdout).toContain('paused: nothing is copied or sent')
    expect(await remember('written in a pause')).toMatchObject({ shared: false })
    await atHome('remember', 'note', 'written at home meanwhile', ...SHOP)
    expect((await here('list', ...SHOP)).stdout).not.toContain('written at home meanwhile')
    expect(await standing()).toMatchObject({ state: 'PAUSED', waiting: 1 })
    await here('sync', 'resume')
    await untilStanding({ state: 'CONNECTED', waiting: 0 })
    await vi.waitFor(async () =>
      expect((await atHome('list', ...SHOP)).stdout).toContain('written in a pause'),
    )
  })

  /** Changes a memory here and at home at the same time. */
  const contradict = async (...texts: string[]) => {
    const memories = []
    for (const text of texts) memories.push(await remember(text))
    await untilStanding({ state: 'CONNECTED', waiting: 0 })
    await here('sync', 'pause')
    for (const { id } of memories) {
      expect(await here('revise', id, 'as the laptop has it', ...SHOP)).toMatchObject({ exitCode: 0 })
      expect(await atHome('revise', id, 'as the home has it', ...SHOP)).toMatchObject({ exitCode: 0 })
    }
    await here('sync', 'resume')
    return memories.map(({ id }) => id)
  }
  const textAtHome = async (id: string) => (await atHome('get', id, ...SHOP)).stdout

  test('conflicts are listed with what was to be done, and decided', async () => {
    await here('sync', 'rule', 'ask')
    const [first = '', second = '', third = ''] = await contradict('one', 'two', 'three')
    await untilStanding({ state: 'CONNECTED', openConflicts: 3 })
    const listed = await here('sync', 'conflicts')
    expect(listed.stdout).toContain(`revise of ${first}`)
    expect(listed.stdout).toContain('text: as the laptop has it')
    expect(listed.stdout).toMatch(/given 20\S+ by \S+.*; made on version 1, the home had version 2/u)
    expect(listed.stdout).toContain('(VERSION_CONFLICT)')
    expect(listed.stdout).toContain('waits for a decision')
    expect(listed.stderr).toContain('daybook sync resolve <id> --mine')
    expect((await here('sync')).stdout).toContain(
      'conflicts: 3 wait for a decision; the rule: a person decides',
    )
    // The index shows the memories; it may still have them as the branch had.
    const theirs = { memory: { title: 'as the home has it' } }
    await vi.waitFor(async () => expect(await conflicts()).toMatchObject([theirs, theirs, theirs]))
    const open = await conflicts()
    expect(open).toMatchObject(open.map(() => ({ command: { type: 'revise' }, resolution: null })))
    expect(await conflicts('--limit', '1')).toEqual(open.slice(0, 1))
    expect(await conflicts('--limit', '1', '--after', open[0]?.id ?? '')).toEqual(open.slice(1, 2))

    const decide = (...args: string[]) => here('sync', 'resolve', ...args)
    expect(await decide('--mine')).toMatchObject({ exitCode: 2 })
    expect(await decide(open[0]?.id ?? '')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--theirs'),
    })
    expect(await decide('0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d', '--mine')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('was not found'),
    })
    expect((await decide(open[0]?.id ?? '', '--mine')).stdout).toContain('made on top of the other one by')
    expect((await decide(open[1]?.id ?? '', '--theirs')).stdout).toContain('left out by')
    expect(await decide('--all', '--mine')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('1 change'),
    })
    expect((await decide('--all', '--mine', '--yes')).stdout).toContain('1 conflict resolved')
    expect((await decide('--all', '--mine')).stdout).toContain('No conflict waits')
    await untilStanding({ openConflicts: 0, waiting: 0 })
    await expect.poll(() => textAtHome(first)).toContain('as the laptop has it')
    await expect.poll(() => textAtHome(second)).toContain('as the home has it')
    await expect.poll(() => textAtHome(third)).toContain('as the laptop has it')
    expect((await conflicts('--resolved')).map(({ resolution }) => resolution)).toEqual([
      'MINE',
      'THEIRS',
      'MINE',
    ])
    expect(await conflicts()).toEqual([])
  })

  test('by the rule that the latest wins, a conflict is resolved, and listed', async () => {
    await here('sync', 'rule', 'latest-wins')
    const [id = ''] = await contradict('four')
    await vi.waitFor(async () => expect(await conflicts('--resolved')).toHaveLength(4))
    await untilStanding({ openConflicts: 0, waiting: 0 })
    await expect.poll(() => textAtHome(id)).toContain('as the laptop has it')
    expect((await here('sync', 'conflicts', '--resolved')).stdout).toContain(
      'made on top of the other one, by the rule',
    )
  })

  test('the home knows who follows', async () => {
    const { stdout } = await atHome('sync', 'followers', ...SHOP)
    expect(stdout).toMatch(/^name +sequence +lag +last seen +key$/mu)
    expect((await here('sync', 'followers', ...SHOP)).stdout).toContain('Nobody follows')
  })

  test('the home is handed over, after a question, and follows from then on', async () => {
    const unasked = await here('sync', 'promote')
    expect(unasked).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${homeUrl} hands it over`),
    })
    expect((await here('sync', 'promote', '--lost')).stderr).toContain('without asking')
    const promoted = await here('sync', 'promote', '--yes')
    expect(promoted).toMatchObject({ exitCode: 0, stderr: '' })
    expect(promoted.stdout).toContain('This Daybook is the home of "shop" now, in epoch 2')
    await here('remember', 'note', 'from the new home', ...SHOP)
    await vi.waitFor(async () =>
      expect((await atHome('sync')).stdout).toContain(`shop, whose home is ${laptop.url()} (epoch 2)`),
    )
    await vi.waitFor(async () =>
      expect((await atHome('list', ...SHOP)).stdout).toContain('from the new home'),
    )
    expect(await json('sync', 'status')).toEqual({ followed: [] })
  })

  test('it is followed no more, after a question, and its copy goes', async () => {
    const unasked = await atHome('sync', 'unfollow')
    expect(unasked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Stop following "shop"') })
    expect((await atHome('sync', 'unfollow', '--yes')).stdout).toContain('"shop" is followed no more')
    expect((await atHome('projects')).stdout).not.toContain('shop')
    expect((await here('list', ...SHOP)).stdout).toContain('from the new home')
  })
})
