import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { copyMigratedCluster } from '@daybook/postgres/testing/embedded-template'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startCli } from '../cli/run-cli.ts'
import { connectStdio } from '../mcp/stdio-client.ts'
import { createTestDaemon, DaemonDidNotStart, type TestDaemon } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'

interface Entry {
  readonly path: string
  readonly mode: number
}

/**
 * All in a folder, itself included, but for symbolic links and the log, which this test opens for the daemon.
 */
function entriesOf(root: string): Entry[] {
  const visit = (path: string): Entry[] => {
    const info = lstatSync(path, { throwIfNoEntry: false })
    // The database goes on, and removes files.
    if (info === undefined || info.isSymbolicLink() || path === join(root, 'daemon.log')) return []
    const inside = info.isDirectory() ? readdirSync(path).flatMap((name) => visit(join(path, name))) : []
    return [{ path: relative(root, path), mode: info.mode & 0o777 }, ...inside]
  }
  return visit(root)
}

const openToOthers = (root: string) =>
  entriesOf(root)
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ path, mode }) => `${mode.toString(8)} ${path}`)

const remember = (daemon: TestDaemon) =>
  daemon.graphql({
    query: 'mutation { remember(input: { content: { note: { text: "kept" } } }) { __typename } }',
  })

/** Of a process that it is loaded into: writes each host that is looked up or connected to, one a line. */
function recordHosts(file: string): void {
  const [{ appendFileSync }, net, dns] = [require('node:fs'), require('node:net'), require('node:dns')]
  const note = (host: unknown) => appendFileSync(file, `${host}\n`)
  const { connect } = net.Socket.prototype
  net.Socket.prototype.connect = function (...args: unknown[]) {
    // `connect(options)`, `connect(port, host)` or `connect(path)`; node itself passes a list of them.
    const [to, host] = args.flat() as [{ path?: string; host?: string } | string | number, unknown?]
    if (typeof to === 'object') {
      if (to.path === undefined) note(to.host ?? 'localhost')
    } else if (!Number.isNaN(Number(to))) note(typeof host === 'string' ? host : 'localhost')
    return connect.apply(this, args)
  }
  for (const of of [dns, dns.promises])
    for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6']) {
      const lookUp = of[name]
      of[name] = (host: string, ...rest: unknown[]) => {
        note(host)
        return lookUp.call(of, host, ...rest)
      }
    }
}

describe('the files of a daemon', () => {
  let parent: string
  let daemon: TestDaemon
  let umask: number
  beforeEach(() => {
    // The modes must not depend on the umask of whoever starts the daemon.
    umask = process.umask(0)
    parent = mkdtempSync(join(tmpdir(), 'daybook-files-'))
    daemon = createTestDaemon(join(parent, 'data'))
    chmodSync(daemon.dataDir, 0o755)
  })
  afterEach(async () => {
    process.umask(umask)
    await daemon.remove()
    rmSync(parent, { recursive: true, force: true })
  })

  it('are its user’s alone: database, socket, locks, key, which nobody prints; also those of a folder of the version before', async () => {
    const home = join(parent, 'home')
    mkdirSync(home)
    // The database is made, too.
    await daemon.start({ environment: { HOME: home } })
    const key = readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim()
    // What is printed to something else than a terminal names the key's file, and has no key.
    expect(daemon.output()).toContain(join(daemon.dataDir, 'api-key'))
    expect(daemon.output()).not.toContain(key)
    expect(daemon.log(1_000_000)).not.toContain(key)
    dataOf(await remember(daemon))
    const entries = entriesOf(daemon.dataDir)
    expect(entries.length).toBeGreaterThan(900)
    const names = entries.map(({ path }) => path)
    for (const expected of [
      'api-key',
      'daemon.lock',
      'postgres.lock',
      'run/.s.PGSQL.5432',
      'postgres/PG_VERSION',
    ])
      expect(names).toContain(expected)
    expect(openToOthers(daemon.dataDir)).toEqual([])
    expect(await daemon.stop()).toBe(0)
    expect(openToOthers(daemon.dataDir)).toEqual([])
    expect(entriesOf(home).map(({ path }) => path)).toEqual([''])

    for (const { path, mode } of entriesOf(daemon.dataDir))
      chmodSync(join(daemon.dataDir, path), mode | (path === '' ? 0o055 : 0o066))
    await daemon.start()
    expect(openToOthers(daemon.dataDir)).toEqual([])
    expect(daemon.output()).toContain('Took the rights of others from')
  })

  it('are all that is written, and no other host is asked, by daemon, model, CLI, MCP and console', async () => {
    const [home, asked, recorder] = [
      join(parent, 'home'),
      join(parent, 'asked'),
      join(parent, 'recorder.cjs'),
    ]
    mkdirSync(home)
    writeFileSync(asked, '')
    writeFileSync(recorder, `(${recordHosts.toString()})(${JSON.stringify(asked)})`)
    const environment = {
      HOME: home,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require ${recorder}`,
      // Its own, since no cache of tests is a user's.
      DAYBOOK_MODEL_CACHE: join(daemon.dataDir, 'models'),
    }
    await copyMigratedCluster(daemon.dataDir)
    await daemon.start({ embedder: 'minilm', environment })
    dataOf(await remember(daemon))
    const run = (...args: string[]) => startCli([...args, '--data-dir', daemon.dataDir], environment).ended
    // By meaning, once it has its vector.
    await expect
      .poll(() => run('search', 'what was retained'))
      .toMatchObject({ exitCode: 0, stdout: expect.stringContaining('kept') })
    expect(await run('doctor', '--url', daemon.url() ?? '')).toMatchObject({ stdout: expect.any(String) })
    const agent = await connectStdio(daemon.dataDir, { environment })
    const found = await agent.callTool({ name: 'search', arguments: { query: 'what was retained' } })
    expect(JSON.stringify(found)).toContain('kept')
    await agent.close()
    // A browser may ask whom the policy names, and it names nobody but the daemon.
    const console = await fetch(`${daemon.url()}/console/`)
    expect(console.headers.get('content-security-policy')).toMatch(
      /^default-src 'none';(?!.*(?:https?:|\*))/u,
    )
    expect(await daemon.stop()).toBe(0)
    expect(entriesOf(home).map(({ path }) => path)).toEqual([''])
    const hosts = new Set(readFileSync(asked, 'utf8').split('\n'))
    expect(hosts).toContain('127.0.0.1')
    expect([...hosts].filter((host) => !['', '127.0.0.1', 'localhost'].includes(host))).toEqual([])
  })

  it('are not made in a folder into which others may write', async () => {
    chmodSync(daemon.dataDir, 0o770)
    const refusal = await daemon.start().catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(DaemonDidNotStart)
    expect(String(refusal)).toContain('its mode is 0770')
    expect(String(refusal)).toContain(`chmod 700 ${daemon.dataDir}`)
  })
})
