import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { needing } from '@daybook/runtime/testing/needing'
import type { Need } from '@daybook/runtime/testing/needs'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { managerOf, serviceCommand, serviceEnvironment } from './install-service.ts'
import { launchd } from './launchd.ts'
import type { ServicePlace, ServiceProgram } from './service-manager.ts'
import { systemd } from './systemd.ts'
import { taskScheduler } from './task-scheduler.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-service-'))
afterAll(() => rmSync(folder, { recursive: true }))

const has = (command: string, ...args: string[]) => spawnSync(command, args).status === 0

const program = (path: string, dataDir = '/home/ann/.local/share/daybook'): ServiceProgram => ({
  command: [path, '/opt/daybook/dist/daemon/main.js'],
  dataDir,
  environment: { DAYBOOK_DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
})

const place: ServicePlace = { platform: 'linux', home: '/home/ann', uid: 501, environment: {} }

/** What systemd complains about in a unit; it ends with 0 all the same. */
function complaints(text: string): string {
  const file = join(folder, 'daybook.service')
  writeFileSync(file, text)
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', file], {
    encoding: 'utf8',
    env: { ...process.env, XDG_RUNTIME_DIR: folder },
  })
  return stdout + stderr
}

const ofProgram = (name: string, isThere: boolean): Need => ({
  name,
  problem: isThere ? null : 'It is not installed here.',
  optional: true,
})
needing(ofProgram('systemd', has('systemd-analyze', '--version'))).test(
  'systemd finds nothing wrong with the unit',
  () => {
    // systemd looks whether the program is there, so a path that it reads otherwise is a complaint.
    for (const name of ['node', 'my own node', '100%h $HOME’s']) {
      const path = join(folder, name, 'node')
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, '#!/bin/sh\n')
      chmodSync(path, 0o755)
      const unit = systemd.text(program(path, join(folder, name)), place)
      expect(complaints(unit)).toBe('')
      expect(complaints(unit.replace('KillMode=mixed', 'KillMode=mixd'))).toContain('kill mode')
    }
    expect(complaints(systemd.text(program('/nowhere/node'), place))).toContain('/nowhere/node')
  },
)

needing(ofProgram('python3', has('python3', '-c', 'import plistlib'))).test(
  'the agent is a property list that says what it should',
  () => {
    const text = launchd.text(program('/opt/A & B/<node>', '/Users/ann/Daten & mehr'), place)
    const read = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'
    expect(JSON.parse(execFileSync('python3', ['-c', read], { input: text, encoding: 'utf8' }))).toEqual({
      Label: 'local.daybook.daemon',
      ProgramArguments: ['/opt/A & B/<node>', '/opt/daybook/dist/daemon/main.js'],
      WorkingDirectory: '/Users/ann/Daten & mehr',
      EnvironmentVariables: { DAYBOOK_DATA_DIR: '/Users/ann/Daten & mehr', LOG_LEVEL: 'warn' },
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 10,
      ExitTimeOut: 20,
      Umask: 0o077,
      StandardOutPath: '/Users/ann/Daten & mehr/daemon.log',
      StandardErrorPath: '/Users/ann/Daten & mehr/daemon.log',
    })
  },
)

test('each file tells again which data folder they name', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('/', 'a', ' ', '%', '"', '\\', '$', '&', '<', '>', ';', 'ü', '\n', 'x41'),
      }),
      (dataDir) => {
        for (const manager of [systemd, launchd, taskScheduler])
          expect(manager.dataDirOf(manager.text(program('/node', dataDir), place))).toBe(dataDir)
      },
    ),
  )
})

test('settings go with the service, secrets do not', () => {
  const { environment, secrets } = serviceEnvironment('/data', {
    PATH: '/bin',
    LOG_LEVEL: '',
    DAYBOOK_EMBEDDER: 'openai',
    DAYBOOK_URL: 'http://elsewhere',
    OPENAI_API_KEY: 'sk-secret',
    DAYBOOK_DEFAULT_KEY: 'dbk_secret',
    DATABASE_URL_FILE: '/secrets/database',
    OPENAI_BASE_URL: 'https://me:secret@proxy.example.com',
    OLLAMA_URL: 'http://ollama:11434',
  })
  expect(environment).toEqual({
    DAYBOOK_DATA_DIR: '/data',
    DAYBOOK_EMBEDDER: 'openai',
    DATABASE_URL_FILE: '/secrets/database',
    OLLAMA_URL: 'http://ollama:11434',
  })
  expect(secrets.toSorted()).toEqual(['DAYBOOK_DEFAULT_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'])
})

test('what may vanish becomes no service', () => {
  const installed = (...path: string[]) => {
    const main = join(folder, ...path, 'daybook/dist/daemon/main.js')
    mkdirSync(dirname(main), { recursive: true })
    writeFileSync(main, '')
    return dirname(main)
  }
  const own = installed('lib/node_modules')
  expect(serviceCommand('daemon', '/usr/bin/node', own)).toEqual(['/usr/bin/node', join(own, 'main.js')])
  for (const cache of [
    '.npm/_npx/0123456789abcdef/node_modules',
    '.cache/pnpm/dlx-1234/node_modules',
    '.cache/pnpm/dlx/abc/node_modules',
    'bunx-1000-daybook@latest/node_modules',
  ])
    expect(() => serviceCommand('daemon', '/usr/bin/node', installed(cache)), cache).toThrow(
      expect.objectContaining({
        code: 'NOT_INSTALLED',
        message: expect.stringContaining('cache'),
        hints: expect.arrayContaining([expect.stringContaining('npm install --global')]),
      }),
    )
  // These tests run from the repository.
  expect(() => serviceCommand('daemon')).toThrow(
    expect.objectContaining({ code: 'NOT_INSTALLED', message: expect.stringContaining('repository') }),
  )
})

test('on other systems the error says what to do', () => {
  expect(managerOf({ platform: 'linux' })).toBe(systemd)
  expect(managerOf({ platform: 'darwin' })).toBe(launchd)
  expect(managerOf({ platform: 'win32' })).toBe(taskScheduler)
  expect(() => managerOf({ platform: 'freebsd' })).toThrow(
    expect.objectContaining({
      code: 'NOT_SUPPORTED',
      hints: expect.arrayContaining([expect.stringContaining('daybook start --detach')]),
    }),
  )
})
