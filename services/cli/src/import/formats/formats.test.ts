import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ImportItem } from './format.ts'
import { openForeign } from './open-foreign.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-formats-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, content: unknown): string {
  const whole = join(folder, path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, typeof content === 'string' ? content : JSON.stringify(content))
  return whole
}

/** The format that is told, and its items. */
async function read(
  path: string,
  given?: string,
): Promise<{ name: string | undefined; items: ImportItem[] }> {
  const file = await openForeign(path, given)
  const items: ImportItem[] = []
  if (file !== null) for await (const item of file.read()) items.push(item)
  return { name: file?.format.name, items }
}

const inputs = (items: readonly ImportItem[]) => items.map((item) => ('input' in item ? item.input : item))

describe('markdown', () => {
  test('files become documents with what their front matter says; other files and hidden folders are passed over', async () => {
    write(
      'vault/b.md',
      '---\ntitle: Brewing\ntags: "#coffee, tea"\ndate: 2025-03-04\npermalink: b\n---\nPour over.\n',
    )
    write('vault/people/Ada.md', 'Keeps bees.')
    write('vault/.obsidian/x.md', 'hidden')
    write('vault/picture.png', 'x')
    const { name, items } = await read(join(folder, 'vault'))
    expect(name).toBe('markdown')
    expect(inputs(items)).toEqual([
      {
        content: { document: { title: 'Brewing', content: 'Pour over.', externalId: 'vault/b.md' } },
        labels: ['coffee', 'tea'],
        occurredAt: '2025-03-04T00:00:00.000Z',
        metadata: { permalink: 'b', path: 'b.md' },
        idempotencyKey: expect.stringMatching(/^markdown:[0-9a-f]{32}$/u),
      },
      expect.objectContaining({
        content: { document: { title: 'Ada', content: 'Keeps bees.', externalId: 'vault/people/Ada.md' } },
        metadata: { path: 'people/Ada.md' },
      }),
    ])
  })

  test('the key changes with the text, and with nothing else', async () => {
    const path = write('one.md', 'first')
    const first = inputs((await read(path)).items)
    expect(inputs((await read(path)).items)).toEqual(first)
    write('one.md', 'second')
    const [second] = inputs((await read(path)).items)
    expect(second).not.toMatchObject({
      idempotencyKey: (first[0] as { idempotencyKey: string }).idempotencyKey,
    })
  })

  test('a file that cannot be read is named, and the others are read', async () => {
    write('bad/a.md', '---\n: [\n---\nx')
    write('bad/b.md', ' \n')
    write('bad/c.md', 'fine')
    const { items } = await read(join(folder, 'bad'))
    expect(items.map((item) => [item.where, 'problem' in item])).toEqual([
      ['a.md', true],
      ['b.md', true],
      ['c.md', false],
    ])
  })

  test('a folder without Markdown is refused', async () => {
    write('empty/x.txt', 'x')
    await expect(read(join(folder, 'empty'))).rejects.toThrow('holds no Markdown file')
  })
})

describe('chatgpt', () => {
  const message = (id: string, parent: string | null, role: string, parts: unknown[], more: object = {}) => ({
    [id]: {
      id,
      parent,
      message: { id, author: { role }, create_time: 1_700_000_000.5, content: { parts }, ...more },
    },
  })

  test('the path that was shown becomes notes of one context; other branches, tools and hidden messages do not', async () => {
    const path = write('chatgpt/conversations.json', [
      {
        title: 'Trip',
        conversation_id: 'abcdefgh-1234',
        current_node: 'e',
        mapping: {
          root: { id: 'root', parent: null, message: null },
          ...message('a', 'root', 'system', ['rules']),
          ...message('b', 'a', 'user', ['Where to?', { asset_pointer: 'picture' }]),
          ...message('other', 'b', 'assistant', ['An answer that was made again']),
          ...message('c', 'b', 'assistant', ['hidden'], {
            metadata: { is_visually_hidden_from_conversation: true },
          }),
          ...message('d', 'c', 'tool', ['42']),
          ...message('e', 'd', 'assistant', ['Lisbon.'], { metadata: { model_slug: 'm' } }),
        },
      },
    ])
    const { name, items } = await read(dirname(path))
    expect(name).toBe('chatgpt')
    expect(inputs(items)).toEqual([
      {
        content: { note: { text: 'Where to?' } },
        agent: 'user',
        context: 'Trip (chatgpt abcdefgh)',
        labels: ['chatgpt'],
        occurredAt: '2023-11-14T22:13:20.500Z',
        metadata: { conversation: 'abcdefgh-1234', title: 'Trip', message: 'b' },
        idempotencyKey: 'chatgpt:b',
      },
      expect.objectContaining({ content: { note: { text: 'Lisbon.' } }, agent: 'assistant' }),
    ])
  })

  test('a tree with a circle ends', async () => {
    const mapping = { ...message('a', 'b', 'user', ['x']), ...message('b', 'a', 'user', ['y']) }
    const { items } = await read(write('circle.json', [{ title: 't', id: 'i', current_node: 'a', mapping }]))
    expect(items).toHaveLength(2)
  })
})

describe('claude', () => {
  test('messages become notes; text that was read from attachments stands below', async () => {
    const { name, items } = await read(
      write('claude.json', [
        {
          uuid: '11112222-3333',
          name: '',
          chat_messages: [
            {
              uuid: 'u1',
              sender: 'human',
              text: 'How do bees sleep?',
              created_at: '2025-05-05T10:00:00Z',
              attachments: [{ file_name: 'a.txt', extracted_content: 'honey' }],
            },
            {
              uuid: 'u2',
              sender: 'assistant',
              text: '',
              content: [
                { type: 'tool_use', name: 'x' },
                { type: 'text', text: 'In groups.' },
              ],
            },
            { uuid: 'u3', sender: 'assistant', text: ' ' },
          ],
        },
      ]),
    )
    expect(name).toBe('claude')
    expect(inputs(items)).toEqual([
      expect.objectContaining({
        content: { note: { text: 'How do bees sleep?\n\na.txt:\nhoney' } },
        agent: 'user',
        context: 'Untitled (claude 11112222)',
        idempotencyKey: 'claude:u1',
      }),
      expect.objectContaining({ content: { note: { text: 'In groups.' } }, agent: 'assistant' }),
    ])
  })
})

describe('mem0', () => {
  const memory = { id: 'm1', memory: 'Prefers tea', user_id: 'dev', categories: ['food'], metadata: { a: 1 } }

  test.each([
    ['get_all', { results: [memory], count: 1 }],
    ['an export', { memories: [memory] }],
    ['a list', [memory]],
  ])('%s becomes notes', async (_, value) => {
    const { name, items } = await read(write('mem0.json', value))
    expect(name).toBe('mem0')
    expect(inputs(items)).toEqual([
      expect.objectContaining({
        content: { note: { text: 'Prefers tea' } },
        context: 'dev',
        categories: ['food'],
        metadata: { a: 1, mem0: 'm1' },
      }),
    ])
  })
})

describe('openForeign', () => {
  test('JSON Lines are no foreign format, whatever their name', async () => {
    expect(await openForeign(write('a.jsonl', '{"content":{}}\n'), undefined)).toBeNull()
    expect(await openForeign(write('a.json', '{"content":{}}\n{"content":{}}\n'), undefined)).toBeNull()
    expect(await openForeign(write('b.json', '{"content":{"note":{"text":"x"}}}\n'), undefined)).toBeNull()
  })

  test('a file that is not of the given format is refused', async () => {
    const path = write('c.json', [{ uuid: 'x', chat_messages: [] }])
    expect((await read(path, 'claude')).name).toBe('claude')
    await expect(read(path, 'chatgpt')).rejects.toThrow(
      'cannot be imported as chatgpt: it is not the unpacked export',
    )
    await expect(read(write('d.json', '{'), 'mem0')).rejects.toThrow('as mem0')
  })
})
