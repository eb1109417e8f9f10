import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeLock } from '@daybook/runtime/exclusive-lock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ownCommand, type ServerOptions, serverOf } from './client-config.ts'
import { temporaryPlace } from './testing/temporary-place.ts'

let place: ReturnType<typeof temporaryPlace>
beforeEach(() => {
  place = temporaryPlace()
})
afterEach(() => place.remove())

const OWN = { command: '/opt/node', args: ['mcp'] }
const userServer = (options: ServerOptions) => serverOf(options, 'user', OWN, place)

function dataFolder(parent: string): string {
  const folder = join(parent, '.daybook')
  mkdirSync(folder)
  writeFileSync(join(folder, 'api-key'), 'dbk_x')
  return folder
}

test('names only what was asked for', () => {
  expect(userServer({})).toEqual({ transport: 'stdio', command: '/opt/node', args: ['mcp'], needsKey: false })
  expect(userServer({ project: 'shop', toolsets: ['core', 'ops'], dataDir: 'data' })).toEqual({
    transport: 'stdio',
    command: '/opt/node',
    args: ['mcp', '--data-dir', join(place.folder, 'data'), '--project', 'shop', '--toolsets', 'core,ops'],
    needsKey: false,
  })
})

test('a data folder that a server started anywhere would not find is named, but not in a project', () => {
  dataFolder(place.home)
  expect(userServer({})).toMatchObject({ args: ['mcp'] })
  const folder = dataFolder(place.folder)
  expect(userServer({})).toMatchObject({ args: ['mcp', '--data-dir', folder] })
  expect(serverOf({}, 'project', OWN, place)).toMatchObject({ args: ['mcp'] })
})

test('a daemon elsewhere needs the key from the environment, unless a folder holds it', () => {
  dataFolder(place.folder)
  const url = 'https://memory.example.com/graphql'
  const there = ['mcp', '--url', 'https://memory.example.com']
  expect(userServer({ url })).toMatchObject({ args: there, needsKey: true })
  expect(userServer({ url, dataDir: '/keys' })).toMatchObject({
    args: [...there, '--data-dir', '/keys'],
    needsKey: false,
  })
  expect(() => userServer({ url: 'memory' })).toThrow('is not a URL')
})

test('over HTTP it is the address that is given, or of the daemon that runs here', () => {
  expect(userServer({ http: true, url: 'http://127.0.0.1:4000' })).toEqual({
    transport: 'http',
    url: 'http://127.0.0.1:4000/mcp',
    headers: {},
  })
  const folder = dataFolder(place.folder)
  expect(() => userServer({ http: true })).toThrow('does not run')
  const lock = takeLock(join(folder, 'daemon.lock'))
  lock?.describe({ url: 'http://127.0.0.1:4321' })
  expect(userServer({ http: true, project: 'café', toolsets: ['people', 'ops'] })).toEqual({
    transport: 'http',
    url: 'http://127.0.0.1:4321/mcp?toolsets=people,ops',
    headers: { 'x-daybook-project': 'caf%C3%A9' },
  })
  lock?.release()
})

test('runs this very file with this node, wherever a link to it stands', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'daybook-own-')))
  try {
    const [file, link] = [join(folder, 'daybook.mjs'), join(folder, 'daybook')]
    writeFileSync(file, '')
    // As npm links it.
    symlinkSync(file, link)
    for (const binary of [file, link])
      expect(ownCommand(binary)).toEqual({ command: process.execPath, args: [file, 'mcp'] })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
