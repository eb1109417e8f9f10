import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { detectContext, repositoryName } from './detect-context.ts'

test.each([
  ['git@github.com:acme/daybook.git', 'daybook'],
  ['git@github.com:daybook.git', 'daybook'],
  ['host:daybook', 'daybook'],
  ['ssh://git@host.example:2222/acme/daybook.git/', 'daybook'],
  ['https://github.com/acme/daybook', 'daybook'],
  ['https://user:token@github.com/acme/my.daybook.git', 'my.daybook'],
  ['https://github.com/acme/daybook.git?x=1#y', 'daybook'],
  ['git+ssh://git@host/daybook.git', 'daybook'],
  ['/srv/git/daybook.git', 'daybook'],
  ['..\\daybook.git', 'daybook'],
  ['file:///srv/daybook', 'daybook'],
  ['https://github.com', null],
  ['https://github.com/', null],
  ['daybook', null],
  ['/.git', null],
  ['', null],
])('the remote %s names the repository %s', (remote, name) => {
  expect(repositoryName(remote)).toBe(name)
})

describe('detectContext', () => {
  let folder = ''
  const inFolder = (path: string, environment: Record<string, string> = {}, explicit?: string) =>
    detectContext({ folder: join(folder, path), environment, explicit })

  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'daybook-context-')))
    for (const path of ['plain/src', 'local/src', 'cloned/src'])
      mkdirSync(join(folder, path), { recursive: true })
    for (const path of ['local', 'cloned']) execFileSync('git', ['init', '-q', join(folder, path)])
    execFileSync('git', ['-C', join(folder, 'cloned'), 'remote', 'add', 'origin', 'git@host:acme/shop.git'])
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('what the user names goes before the setting, the setting before git, git before the folder', async () => {
    expect(await inFolder('cloned/src', { DAYBOOK_CONTEXT: 'set' }, 'named')).toBe('named')
    expect(await inFolder('cloned/src', { DAYBOOK_CONTEXT: 'set' })).toBe('set')
    expect(await inFolder('cloned/src')).toBe('shop')
    expect(await inFolder('local/src')).toBe('local')
    expect(await inFolder('plain/src')).toBe('src')
  })

  test('detection can be switched off; what is named or set still counts', async () => {
    const off = { DAYBOOK_CONTEXT_DETECTION: 'off' }
    expect(await inFolder('cloned', off)).toBeNull()
    expect(await inFolder('cloned', { ...off, DAYBOOK_CONTEXT: 'set' })).toBe('set')
    expect(await inFolder('cloned', off, 'named')).toBe('named')
  })

  test('the home folder and the root are no context', async () => {
    expect(await detectContext({ folder: '/', environment: {} })).toBeNull()
    expect(await detectContext({ folder: homedir(), environment: {} })).toBeNull()
  })
})
