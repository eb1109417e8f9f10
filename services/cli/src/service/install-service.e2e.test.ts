import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { daemonState } from '@daybook/local-daemon/daemon-state'
import { stopDaemon } from '@daybook/local-daemon/stop-daemon'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  installService,
  planService,
  serviceStatus,
  startService,
  stopService,
  uninstallService,
} from './install-service.ts'
import { launchd } from './launchd.ts'
import type { ServicePlace, ServiceProgram } from './service-manager.ts'
import { systemd } from './systemd.ts'
import { stubManagers } from './testing/stub-managers.ts'

/* Scripts stand for `systemctl` and `launchctl`, a double for the daemon. test/src/cli/service.e2e.test.ts has the real one. */

const DAEMON = fileURLToPath(new URL('testing/double-daemon.ts', import.meta.url))
const TSX = import.meta.resolve('tsx')

let home: string
let place: ServicePlace
let stubs: ReturnType<typeof stubManagers>
const dataDir = () => join(home, 'data')
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'daybook-service-'))
  stubs = stubManagers(home)
  const environment = { HOME: home, PATH: stubs.folder + delimiter + process.env['PATH'] }
  place = { platform: 'linux', home, uid: 501, environment }
})
afterEach(async () => {
  await stopDaemon({ dataDir: dataDir() })
  // The shell that watches the daemon may still be writing.
  await vi.waitFor(() => rmSync(home, { recursive: true, force: true }))
})

const program = (other: Record<string, string> = {}): ServiceProgram => ({
  command: [process.execPath, '--import', TSX, DAEMON],
  dataDir: dataDir(),
  environment: { DAYBOOK_DATA_DIR: dataDir(), ...other },
})

describe.each([
  ['systemd', systemd, ['--user enable --now daybook.service'], '--user restart daybook.service'],
  [
    'launchd',
    launchd,
    ['enable gui/501/local.daybook.daemon', /^bootstrap gui\/501 .*\.plist$/u],
    'bootout gui/501/local.daybook.daemon',
  ],
] as const)('as a service of %s', (_, manager, starting, restarting) => {
  const install = (wanted = program()) =>
    installService(manager, place, wanted, planService(manager, place, wanted))
  const status = () => serviceStatus(manager, place, '/elsewhere')

  test('Daybook is installed, left as it is, changed, found out about, and removed', async () => {
    expect(await status()).toMatchObject({
      installed: false,
      running: false,
      url: null,
      dataDir: '/elsewhere',
    })
    const first = await install()
    expect(first).toMatchObject({ outcome: 'installed', backup: null })
    for (const call of starting) expect(stubs.calls()).toContainEqual(expect.stringMatching(call))
    expect((await fetch(`${first.url}/health`)).status).toBe(200)
    expect(await status()).toEqual({
      installed: true,
      file: manager.file(place),
      enabled: true,
      running: true,
      failing: false,
      pid: first.pid,
      dataDir: dataDir(),
      url: first.url,
      daemonPid: first.pid,
      log: expect.any(String),
    })

    expect(await install()).toEqual({ ...first, outcome: 'unchanged' })
    const changed = await install(program({ LOG_LEVEL: 'warn' }))
    expect(changed).toMatchObject({ outcome: 'updated', backup: expect.stringContaining('.daybook-') })
    expect(changed.pid).not.toBe(first.pid)
    expect(stubs.calls()).toContainEqual(restarting)

    // Ended by hand, it is started again.
    expect(await stopService(manager, place)).toBe(changed.pid)
    expect(await status()).toMatchObject({ running: false, daemonPid: null })
    expect(await stopService(manager, place)).toBeNull()
    expect(await startService(manager, place)).toMatchObject({ outcome: 'unchanged' })

    const { file } = await status()
    const gone = { outcome: 'removed', file, backups: [] }
    expect(await uninstallService(manager, place)).toEqual(gone)
    expect(daemonState(dataDir()).state).toBe('free')
    expect(readdirSync(dirname(file))).toEqual([])
    expect(existsSync(dataDir())).toBe(true)
    expect(await uninstallService(manager, place)).toEqual({ ...gone, outcome: 'absent' })
    expect(await status()).toMatchObject({ installed: false, enabled: false, running: false })
    for (const action of [startService, stopService])
      await expect(action(manager, place)).rejects.toMatchObject({ code: 'NOT_INSTALLED' })
  })

  test('a daemon that runs already gives way', async () => {
    const { command, environment } = program()
    mkdirSync(dataDir(), { mode: 0o700 })
    const env = { ...process.env, ...environment }
    const before = spawn(command[0], command.slice(1), { env, stdio: 'ignore' })
    await vi.waitFor(() => expect(daemonState(dataDir()).state).toBe('serving'), 20_000)
    const { pid } = await install()
    expect(pid).not.toBe(before.pid)
    expect(await status()).toMatchObject({ running: true, pid, daemonPid: pid })
  })

  test('a daemon that fails is told of', async () => {
    await expect(install(program({ DAYBOOK_PORT: 'many' }))).rejects.toMatchObject({
      code: 'SERVICE_DID_NOT_START',
      hints: expect.arrayContaining([expect.stringContaining(manager.log(dataDir()))]),
    })
    expect(await status()).toMatchObject({ installed: true, running: false, failing: true, url: null })
  })

  test('a file of somebody else is copied before it is replaced, and never removed', async () => {
    const file = manager.file(place)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '# mine\n')
    await expect(uninstallService(manager, place)).rejects.toMatchObject({ code: 'SERVICE_NOT_OURS' })
    expect(readFileSync(file, 'utf8')).toBe('# mine\n')
    const { outcome, backup } = await install()
    expect(outcome).toBe('updated')
    expect(readFileSync(backup ?? '', 'utf8')).toBe('# mine\n')
    expect(await uninstallService(manager, place)).toMatchObject({ backups: [backup] })
    expect(readdirSync(dirname(file))).toEqual([basename(backup ?? '')])
  })

  test('where nothing manages services of this user, it is said before anything is written', async () => {
    const nowhere = { ...place, uid: 502, environment: { ...place.environment, PATH: '/nowhere' } }
    await expect(manager.check(nowhere)).rejects.toMatchObject({
      code: 'SERVICE_MANAGER',
      hints: expect.arrayContaining([expect.stringContaining('daybook start --detach')]),
    })
    await expect(manager.check(place)).resolves.toBeUndefined()
    expect(await manager.state(nowhere)).toEqual({
      enabled: false,
      running: false,
      failing: false,
      pid: null,
    })
  })
})
