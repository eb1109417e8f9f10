import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { runCli } from './run-cli.ts'

/* Projects and keys with the real binary, against a real daemon. */

interface KeyJson {
  readonly id: string
  readonly name: string
  readonly isOwn: boolean
  readonly isValid: boolean
  readonly projects: readonly { readonly name: string }[]
}

describe('daybook projects and daybook keys', () => {
  let daemon: TestDaemon
  beforeAll(async () => {
    daemon = createTestDaemon(undefined, { environment: { DAYBOOK_EMBEDDER: 'none' } })
    await daemon.start()
  })
  afterAll(() => daemon?.remove())

  const address = () => ({ DAYBOOK_URL: daemon.url() ?? '' })
  /** As the daemon's first key. */
  const run = (...args: string[]) => runCli(args, { ...address(), DAYBOOK_DATA_DIR: daemon.dataDir })
  const as = (key: string, args: string[], more: Record<string, string> = {}) =>
    runCli(args, { ...address(), DAYBOOK_API_KEY: key, ...more })
  const keys = async (...args: string[]) =>
    (JSON.parse((await run('keys', 'list', '--json', ...args)).stdout) as { keys: KeyJson[] }).keys

  test('a project is made, gets a key, and is used with it', async () => {
    const made = await run('projects', 'create', 'shop', '--memories', '2')
    expect(made).toMatchObject({ exitCode: 0, stderr: '' })
    expect(made.stdout).toContain('The project "shop" is made')
    expect(made.stdout).toContain('daybook keys create <name> --project shop')
    expect(await run('projects', 'create', 'shop')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('already: choose another name'),
    })

    const created = await run('keys', 'create', 'shop-agent', '--project', 'shop')
    expect(created.stdout).toMatch(/^dbk_[0-9A-Za-z]{36}\n$/u)
    expect(created.stderr).toContain('may read, write in shop. It is shown only now:')
    expect(created.stderr).toContain('daybook keys revoke')
    const key = created.stdout.trim()
    for (const text of ['one', 'two'])
      expect(await as(key, ['remember', 'note', text])).toMatchObject({ exitCode: 0 })
    const full = await as(key, ['remember', 'note', 'three'])
    expect(full).toMatchObject({ exitCode: 1 })
    expect(full.stderr).toContain('limit memories of 2')
    const listed = await as(key, ['projects'])
    expect(listed.stdout).toMatch(/^shop +2 of 2 /mu)
    expect(listed.stdout).not.toContain('default')
    expect(
      (await run('projects', 'limits', 'shop', '--memories', 'none', '--requests', '100')).stdout,
    ).toMatch(/^requests a second +100$/mu)
    expect(await as(key, ['remember', 'note', 'three'])).toMatchObject({ exitCode: 0 })
    const renamed = await run('projects', 'rename', 'shop', 'store')
    expect(renamed.stdout).toContain('now called "store"')
    expect((await as(key, ['projects', '--json'])).stdout).toContain('"store"')
  })

  test('a project is deleted, after a question, and its trace is listed', async () => {
    await run('projects', 'create', 'gone')
    const key = (await run('keys', 'create', 'of-gone', '--project', 'gone')).stdout.trim()
    await as(key, ['remember', 'note', 'one'])
    const { projects } = JSON.parse((await run('projects', '--json')).stdout) as {
      projects: { id: string; name: string }[]
    }
    const id = projects.find(({ name }) => name === 'gone')?.id ?? ''
    // There is no terminal to ask on.
    const unasked = await run('projects', 'delete', 'gone')
    expect(unasked).toMatchObject({ exitCode: 2 })
    expect(unasked.stderr).toContain('Delete the project "gone" with 1 memory for good?')
    const deleted = await run('projects', 'delete', 'gone', '--yes', '--detach')
    expect(deleted).toMatchObject({ exitCode: 0, stderr: '' })
    expect(deleted.stdout).toContain('"gone" is deleted for good')
    expect(deleted.stdout).toContain('backups')
    expect(deleted.stdout).toContain('daybook operations watch')
    expect(deleted.stdout).not.toContain('operations cancel')
    expect((await as(key, ['recall', 'x'])).stderr).toContain('does not accept the API key')
    expect(await run('projects', 'delete', 'gone', '--yes')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('There is no project "gone"'),
    })
    expect((await run('projects', 'deleted')).stdout).toContain(id)
    const { deletedProjects } = JSON.parse((await run('projects', 'deleted', '--json')).stdout) as {
      deletedProjects: object[]
    }
    expect(deletedProjects).toEqual([expect.objectContaining({ id, events: 1 })])
    expect(await run('projects', 'create', 'gone')).toMatchObject({ exitCode: 0 })
  })

  test('a key of several projects is told which one is meant', async () => {
    await run('projects', 'create', 'blog')
    const { stdout } = await run('keys', 'create', 'both', '--project', 'blog', '--project', 'default')
    const key = stdout.trim()
    const unsaid = await as(key, ['list'])
    expect(unsaid).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--project') })
    expect(await as(key, ['remember', 'note', 'of the blog', '--project', 'blog'])).toMatchObject({
      exitCode: 0,
    })
    await vi.waitFor(async () =>
      expect((await as(key, ['list'], { DAYBOOK_PROJECT: 'blog' })).stdout).toContain('of the blog'),
    )
    expect((await as(key, ['--project', 'blog', 'list', '--json'])).stdout).toContain('of the blog')
    expect((await as(key, ['list', '--project', 'default'])).stdout).not.toContain('of the blog')
    const other = await as(key, ['list', '--project', 'store'])
    const none = await as(key, ['list', '--project', 'nowhere'])
    expect(other).toMatchObject({ exitCode: 1 })
    expect(other.stderr.replace('store', '…')).toBe(none.stderr.replace('nowhere', '…'))
    // `--project` of a command that has its own is what the command is about.
    expect(await run('keys', 'list', '--project', 'blog')).toMatchObject({ exitCode: 0 })
  })

  test('a key for reading cannot write, and says what it lacks', async () => {
    const { stdout } = await run('keys', 'create', 'reader', '--scope', 'read', '--expires', '1h')
    const key = stdout.trim()
    expect(await as(key, ['list'])).toMatchObject({ exitCode: 0 })
    const refused = await as(key, ['remember', 'note', 'x'])
    expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('needs the scope WRITE') })
    expect((await as(key, ['keys'])).stderr).toContain('needs the scope ADMIN')
  })

  test('a key is trusted more or less, which lists and searches show and filter by', async () => {
    const key = (await run('keys', 'create', 'web-reader', '--trust', 'low')).stdout.trim()
    expect(await as(key, ['remember', 'note', 'a buoy near the web'])).toMatchObject({ exitCode: 0 })
    const texts = async (...args: string[]) => {
      const { stdout } = await run('list', '--json', ...args)
      return (JSON.parse(stdout) as { memories: { text: string; trust: string }[] }).memories
        .filter(({ text }) => text.includes('buoy'))
        .map(({ trust }) => trust)
    }
    await vi.waitFor(async () => expect(await texts()).toEqual(['LOW']))
    expect(await texts('--min-trust', 'normal')).toEqual([])
    expect((await run('search', 'buoy', '--mode', 'keyword')).stdout).toContain('low trust')
    const made = (await keys()).find(({ name }) => name === 'web-reader')
    expect((await run('keys', 'trust', made?.id ?? '', 'high')).stdout).toContain('is of high trust')
    expect(await texts('--min-trust', 'high')).toEqual(['HIGH'])
    expect((await run('keys')).stdout).toMatch(/^web-reader .* high /mu)
    expect(await run('keys', 'trust', made?.id ?? '', 'much')).toMatchObject({ exitCode: 2 })
  })

  test('a key is rotated and revoked, and a mistyped one is told so', async () => {
    const first = (await run('keys', 'create', 'ci')).stdout.trim()
    const made = (await keys()).find(({ name }) => name === 'ci')
    const rotated = await run('keys', 'rotate', made?.id ?? '')
    expect(rotated.stderr).toContain('The old one is valid until')
    const second = rotated.stdout.trim()
    for (const key of [first, second]) expect(await as(key, ['list'])).toMatchObject({ exitCode: 0 })
    // Nobody can be asked here.
    expect(await run('keys', 'revoke', made?.id ?? '')).toMatchObject({ exitCode: 2 })
    const revoked = await run('keys', 'revoke', made?.id ?? '', '--yes')
    expect(revoked.stdout).toContain('The key "ci" is revoked')
    const refused = await as(first, ['list'])
    expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('was revoked') })
    expect(await as(second, ['list'])).toMatchObject({ exitCode: 0 })
    const typo = second.slice(0, -1) + (second.endsWith('x') ? 'y' : 'x')
    expect((await as(typo, ['list'])).stderr).toContain('mistyped')
    expect((await keys()).some(({ id }) => id === made?.id)).toBe(false)
    expect((await keys('--all')).find(({ id }) => id === made?.id)).toMatchObject({ isValid: false })
    const own = (await keys()).find(({ isOwn }) => isOwn)
    expect(own).toMatchObject({ name: 'default' })
    expect((await run('keys')).stdout).toMatch(/^default \(yours\) /mu)
  })

  test('a wrong command line is refused before anything is asked', async () => {
    for (const args of [
      ['keys', 'create'],
      ['keys', 'create', 'x', '--scope', 'root'],
      ['keys', 'create', 'x', '--expires', 'soon'],
      ['keys', 'create', 'x', '--project', 'a', '--all-projects'],
      ['keys', 'rotate', 'x', '--grace', 'long'],
      ['projects', 'limits', 'x', '--bytes', 'much'],
      ['projects', 'limits'],
    ])
      expect(await run(...args), args.join(' ')).toMatchObject({ exitCode: 2, stdout: '' })
  })

  test('one key searches several projects, and each hit says its project', async () => {
    for (const name of ['north', 'south', 'secret']) {
      await run('projects', 'create', name)
      const own = (await run('keys', 'create', `of ${name}`, '--project', name)).stdout.trim()
      const remembered = await as(own, ['remember', 'note', `a giraffe of the ${name}`])
      expect(remembered).toMatchObject({ exitCode: 0 })
    }
    const created = await run('keys', 'create', 'both', '--project', 'north', '--project', 'south')
    const key = created.stdout.trim()
    const search = (...args: string[]) => as(key, ['search', 'giraffe', ...args])
    await expect
      .poll(async () => (await search('--projects', 'north, south')).stdout)
      .toMatch(/project (?:north|south)[^]*project (?:north|south)/u)
    const json = JSON.parse((await search('--projects', 'north', '--projects', 'south', '--json')).stdout)
    expect(json.hits.map((hit: { project: { name: string } }) => hit.project.name).toSorted()).toEqual([
      'north',
      'south',
    ])
    expect(json.searched).toHaveLength(2)
    const missing = await search('--projects', 'north,nowhere')
    const refused = await search('--projects', 'north,secret')
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr.replaceAll('secret', '…')).toBe(missing.stderr.replaceAll('nowhere', '…'))
  })
})
