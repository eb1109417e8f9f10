import { createClient, type DaybookClient } from '@daybook/client'
import { memoryFiles } from '@daybook/client/ai'
import { useTestGateway } from '@daybook/gateway/testing/test-gateway'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { beforeEach, describe, expect, test } from 'vitest'

// What is tested here is the client's, so one database is enough.
describe.each(TEST_DATABASES.slice(0, 1))('the files of the memory tool on $name', ({ start }) => {
  const suite = useTestGateway(start)
  let client: DaybookClient
  let files: (command: unknown) => Promise<string>
  let folder: string
  beforeEach(() => {
    const { url, key } = suite.client
    client = createClient({ url, apiKey: key })
    folder = `files-${crypto.randomUUID()}`
    files = memoryFiles(client, { folder })
  })
  const create = (path: string, text: string) => files({ command: 'create', path, file_text: text })
  const view = (path: string, range?: [number, number]) => files({ command: 'view', path, view_range: range })
  const lines = async (path: string) => (await view(path)).split('\n').slice(1)

  test('are created, listed two levels deep, and shown with line numbers', async () => {
    expect(await lines('/memories')).toEqual(['0.0K\t/memories'])
    expect(await create('/memories/notes.md', 'one\ntwo\n\nfour')).toBe(
      'File created successfully at: /memories/notes.md',
    )
    await create('/memories/shop/prices/2026/may.md', 'a'.repeat(2048))
    expect(await lines('/memories')).toEqual([
      '2.0K\t/memories',
      '0.0K\t/memories/notes.md',
      '2.0K\t/memories/shop',
      '2.0K\t/memories/shop/prices',
    ])
    expect(await lines('/memories/shop/prices/')).toContain('2.0K\t/memories/shop/prices/2026/may.md')
    expect(await lines('/memories/notes.md')).toEqual([
      '     1\tone',
      '     2\ttwo',
      '     3\t',
      '     4\tfour',
    ])
    expect(await view('/memories/notes.md', [2, 3])).toMatch(/:\n {5}2\ttwo\n {5}3\t$/u)
    expect(await view('/memories/notes.md', [4, -1])).toMatch(/:\n {5}4\tfour$/u)
    expect(await view('/memories/notes.md', [5, 9])).toContain('within the lines of the file: [1, 4]')
  })

  test('are edited as events that searches, history and undo know', async () => {
    const before = new Date().toISOString()
    await create('/memories/tea.md', 'Kai takes tea\nNo sugar')
    const edited = await files({
      command: 'str_replace',
      path: '/memories/tea.md',
      old_str: 'tea\nNo',
      new_str: 'green tea\nMuch',
    })
    expect(edited).toContain('     1\tKai takes green tea\n     2\tMuch sugar')
    expect(
      await files({ command: 'insert', path: '/memories/tea.md', insert_line: 1, insert_text: 'In cups\n' }),
    ).toBe('The file /memories/tea.md has been edited.')
    expect(await lines('/memories/tea.md')).toEqual([
      '     1\tKai takes green tea',
      '     2\tIn cups',
      '     3\tMuch sugar',
    ])
    const { hits } = await client.search('green tea', { filter: { context: folder } })
    expect(hits[0]?.memory.content.document?.externalId).toBe(`${folder}/tea.md`)
    expect(hits[0]?.version).toBe(3)
    const undo = await client.undo({ filter: { context: folder }, since: before })
    expect(undo).toMatchObject({ changed: 1 })
  })

  test('are renamed and deleted, folders with all in them', async () => {
    await create('/memories/a/one.md', 'one')
    await create('/memories/a/b/two.md', 'two')
    await create('/memories/ab.md', 'beside')
    expect(await files({ command: 'rename', old_path: '/memories/a', new_path: '/memories/c' })).toBe(
      'Successfully renamed /memories/a to /memories/c',
    )
    expect(await lines('/memories/c')).toEqual([
      '0.0K\t/memories/c',
      '0.0K\t/memories/c/b',
      '0.0K\t/memories/c/b/two.md',
      '0.0K\t/memories/c/one.md',
    ])
    expect(await view('/memories/a')).toBe(
      'Error: The path /memories/a does not exist. Please provide a valid path.',
    )
    expect(await files({ command: 'delete', path: '/memories/c' })).toBe('Successfully deleted /memories/c')
    expect(await lines('/memories')).toEqual(['0.0K\t/memories', '0.0K\t/memories/ab.md'])
    await create('/memories/c/one.md', 'again')
    expect(await lines('/memories/c/one.md')).toEqual(['     1\tagain'])
  })

  test('say what is wrong, and change nothing then', async () => {
    await create('/memories/x.md', 'ab ab\nab')
    const wrong: [object, string][] = [
      [{ command: 'create', path: '/memories/x.md', file_text: 'y' }, '/memories/x.md already exists'],
      [{ command: 'create', path: '/memories/x.md/y.md', file_text: 'y' }, '/memories/x.md is a file'],
      [{ command: 'create', path: '/memories/empty.md', file_text: ' \n' }, 'cannot be empty'],
      [
        { command: 'create', path: '/memories/long.md', file_text: 'é'.repeat(32_769) },
        'at most 65536 bytes',
      ],
      [{ command: 'create', path: `/memories/${'n'.repeat(255)}`, file_text: 'y' }, '255'],
      [{ command: 'view', path: '/etc/passwd' }, 'is not below /memories'],
      [{ command: 'view', path: '/memories/../keys' }, 'is not below /memories'],
      [{ command: 'view', path: '/memoriesx' }, 'is not below /memories'],
      [{ command: 'str_replace', path: '/memories/x.md', old_str: 'ab', new_str: 'c' }, 'in lines: 1, 1, 2'],
      [{ command: 'str_replace', path: '/memories/x.md', old_str: 'no', new_str: 'c' }, 'did not appear'],
      [{ command: 'str_replace', path: '/memories/x.md', old_str: 'ab ab\nab' }, 'cannot be empty'],
      [{ command: 'insert', path: '/memories/x.md', insert_line: 3, insert_text: 'c' }, '[0, 2]'],
      [{ command: 'insert', path: '/memories/none.md', insert_line: 0, insert_text: 'c' }, 'does not exist'],
      [{ command: 'delete', path: '/memories' }, 'cannot be deleted'],
      [{ command: 'delete', path: '/memories/none' }, 'does not exist'],
      [{ command: 'rename', old_path: '/memories/x.md', new_path: '/memories/x.md/y' }, 'cannot be renamed'],
      [{ command: 'rename', old_path: '/memories/none', new_path: '/memories/y' }, 'does not exist'],
      [{ command: 'format', path: '/memories' }, 'command'],
      [{ command: 'view' }, 'path'],
      [[], ''],
    ]
    for (const [command, reason] of wrong) {
      const answer = await files(command)
      expect(answer, JSON.stringify(command)).toMatch(/^Error: /u)
      expect(answer).toContain(reason)
    }
    expect(await lines('/memories')).toEqual(['0.0K\t/memories', '0.0K\t/memories/x.md'])
    expect(await lines('/memories/x.md')).toEqual(['     1\tab ab', '     2\tab'])
  })

  test('of two writers at once lose no edit, and those of another folder are not seen', async () => {
    await create('/memories/log.md', 'begin')
    const insert = (insert_text: string) =>
      files({ command: 'insert', path: '/memories/log.md', insert_line: 1, insert_text })
    await Promise.all(['a', 'b', 'c', 'd'].map(insert))
    expect((await lines('/memories/log.md')).map((line) => line.split('\t')[1]).toSorted()).toEqual([
      'a',
      'b',
      'begin',
      'c',
      'd',
    ])
    const others = memoryFiles(client, { folder: `${folder}x` })
    expect(await others({ command: 'view', path: '/memories/log.md' })).toContain('does not exist')
  })
})
