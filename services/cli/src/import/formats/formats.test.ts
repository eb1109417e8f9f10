import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
    expect(items.map((item) => [item.where, ...Object.keys(item).slice(1)])).toEqual([
      ['a.md', 'leftOut'],
      ['a.md', 'input', 'id'],
      ['b.md', 'problem'],
      ['c.md', 'input', 'id'],
    ])
    expect(inputs(items)[1]).toMatchObject({ content: { document: { content: '---\n: [\n---\nx' } } })
  })

  test('a folder without Markdown is refused', async () => {
    write('empty/x.txt', 'x')
    await expect(read(join(folder, 'empty'))).rejects.toThrow('holds no Markdown file')
  })

  test.each([
    ['date: 5 March 2024', '2024-03-05T00:00:00.000Z', {}],
    ['date: March 5th, 2024', '2024-03-05T00:00:00.000Z', {}],
    ['created: 2024-3-5', '2024-03-05T00:00:00.000Z', {}],
    ['Created: 1709632800', '2024-03-05T10:00:00.000Z', {}],
    ['created_at: 1709632800000', '2024-03-05T10:00:00.000Z', {}],
    ['date: "20240305"', '2024-03-05T00:00:00.000Z', {}],
    ['date: "[[2024-03-05|that day]]"', '2024-03-05T00:00:00.000Z', {}],
    ['date: 05/03/2024', undefined, { date: '05/03/2024' }],
    ['date: soon\ncreated: 2024-03-05', '2024-03-05T00:00:00.000Z', { date: 'soon' }],
    ['date: 2024-03-05\ncreated: 2024-03-01', '2024-03-05T00:00:00.000Z', { created: '2024-03-01' }],
    ['date: 20240399', undefined, { date: 20240399 }],
  ])('of the front matter %j nothing is lost', async (given, occurredAt, metadata) => {
    const [input] = inputs((await read(write('dated/x.md', `---\n${given}\n---\nText.`))).items)
    expect(input).toMatchObject({ metadata: { ...metadata, path: 'x.md' } })
    expect(input).toHaveProperty('occurredAt', occurredAt)
  })

  test('names of front matter count whatever their capitals, and both tag and tags', async () => {
    const path = write('capitals.md', '---\nTitle: A\nTags: [x, null]\ntag: y\n---\nText.')
    expect(inputs((await read(path)).items)).toMatchObject([
      { content: { document: { title: 'A' } }, labels: ['x', 'y'], metadata: { path: 'capitals.md' } },
    ])
  })

  test('what only has a kind is a document of others', async () => {
    const path = write('todo.md', '---\nkind: todo\nstatus: done\n---\nPaint the fence.')
    expect(inputs((await read(path)).items)).toMatchObject([
      { content: { document: { content: 'Paint the fence.' } }, metadata: { kind: 'todo', status: 'done' } },
    ])
  })

  test('links are followed, each target once; broken ones are counted', async () => {
    write('else/Bees.md', 'Bees.')
    write('linked/Own.md', 'Own.')
    symlinkSync('../else', join(folder, 'linked/Shared'))
    symlinkSync('../else/Bees.md', join(folder, 'linked/Again.md'))
    symlinkSync('.', join(folder, 'linked/circle'))
    symlinkSync('nowhere', join(folder, 'linked/broken'))
    const { items } = await read(join(folder, 'linked'))
    const texts = items.flatMap((item) =>
      'input' in item
        ? [(item.input.content as { document?: { content: string } }).document?.content]
        : [item.where],
    )
    expect(texts.toSorted()).toEqual(['Bees.', 'Own.', 'broken'])
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
      { where: '"Trip"', leftOut: 'files' },
      { where: '"Trip"', leftOut: 'hidden messages' },
      { where: '"Trip"', leftOut: 'tool calls' },
      expect.objectContaining({ content: { note: { text: 'Lisbon.' } }, agent: 'assistant' }),
      { where: '"Trip"', leftOut: 'other answers' },
    ])
  })

  test('spoken words and canvases are texts; recordings, thoughts and calls are counted', async () => {
    const content = (more: object, recipient?: string) => ({ content: more, recipient })
    const path = write('voice.json', [
      {
        title: 'Voice',
        id: 'i',
        current_node: 'd',
        mapping: {
          ...message(
            'a',
            null,
            'user',
            [],
            content({
              content_type: 'multimodal_text',
              parts: [
                { content_type: 'audio_transcription', text: 'Pier E7' },
                { content_type: 'audio_asset_pointer' },
              ],
            }),
          ),
          ...message('b', 'a', 'assistant', [], content({ content_type: 'thoughts', thoughts: [] })),
          ...message(
            'c',
            'b',
            'assistant',
            [],
            content(
              { content_type: 'code', text: '{"name":"plan","type":"document","content":"Ferry first"}' },
              'canmore.create_textdoc',
            ),
          ),
          ...message(
            'd',
            'c',
            'assistant',
            [],
            content({ content_type: 'code', text: 'search()' }, 'browser'),
          ),
        },
      },
    ])
    expect(inputs((await read(path)).items)).toMatchObject([
      { content: { note: { text: 'Pier E7' } } },
      { leftOut: 'thoughts' },
      { content: { note: { text: 'plan:\nFerry first' } } },
      { leftOut: 'tool calls' },
    ])
  })

  test('an odd conversation is named, and the others are read', async () => {
    const mapping = message('a', null, 'user', ['Meridian'])
    const { name, items } = await read(
      write('odd.json', [{ title: 'Odd', mapping: null }, 7, { title: 'Good', id: 'i', mapping }]),
    )
    expect(name).toBe('chatgpt')
    expect(inputs(items)).toMatchObject([
      { where: 'conversation 1 "Odd"', problem: expect.stringContaining('"mapping" is null') },
      { where: 'conversation 2' },
      { content: { note: { text: 'Meridian' } } },
    ])
  })

  test('a file in UTF-16 or with a byte order mark is read', async () => {
    const text = JSON.stringify([{ title: 't', id: 'i', mapping: message('a', null, 'user', ['Grüße']) }])
    for (const bytes of [`\uFEFF${text}`, Buffer.from(`\uFEFF${text}`, 'utf16le')]) {
      writeFileSync(join(folder, 'bytes.json'), bytes)
      expect(inputs((await read(join(folder, 'bytes.json'))).items)).toMatchObject([
        { content: { note: { text: 'Grüße' } } },
      ])
    }
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
      { where: '"Untitled"', leftOut: 'tool calls' },
      { where: '"Untitled"', leftOut: 'empty messages' },
    ])
  })

  test('artifacts and spoken words are texts; a conversation without messages is named', async () => {
    const { items } = await read(
      write('artifact.json', [
        {
          uuid: 'c',
          name: 'C',
          chat_messages: [
            {
              uuid: 'u1',
              sender: 'assistant',
              content: [
                {
                  type: 'tool_use',
                  name: 'artifacts',
                  input: { title: 'Runbook', content: 'Page Marguerite' },
                },
                { type: 'thinking', thinking: 'hm' },
              ],
            },
            {
              uuid: 'u2',
              sender: 'human',
              content: [{ type: 'voice_note', text: 'Behind the barometer' }],
              files: [{}],
            },
          ],
        },
        { uuid: 'd', name: 'D', chat_messages: null },
      ]),
    )
    expect(inputs(items)).toMatchObject([
      { content: { note: { text: 'Runbook:\nPage Marguerite' } } },
      { leftOut: 'thoughts' },
      { content: { note: { text: 'Behind the barometer' } } },
      { leftOut: 'files' },
      { where: 'conversation 2 "D"', problem: expect.stringContaining('"chat_messages" is null') },
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

  test('an odd memory is named, and an expired one stays out', async () => {
    const { items } = await read(
      write('mem0-odd.json', [
        { ...memory, memory: null },
        null,
        { ...memory, expiration_date: '2020-01-01' },
        memory,
      ]),
    )
    expect(inputs(items)).toMatchObject([
      { where: 'memory m1', problem: 'has no text' },
      { where: 'memory 2' },
      { leftOut: 'expired ones' },
      { content: { note: { text: 'Prefers tea' } }, idempotencyKey: 'mem0:m1' },
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

describe('other memory servers', () => {
  const lines = (...values: readonly unknown[]) =>
    values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n')

  test('a knowledge graph: an entity has its observations and relations, whatever the file is called', async () => {
    const graph = lines(
      { type: 'entity', name: 'Ada', entityType: 'person', observations: ['Keeps bees', 'Lives in Rye'] },
      { type: 'entity', name: 'Honey', entityType: 'product', observations: [] },
      { type: 'relation', from: 'Ada', to: 'Honey', relationType: 'sells_at_market' },
      { type: 'relation', from: 'Nobody', to: 'Ada', relationType: 'knows' },
      '{"type":"entity","name":"cut o',
      { type: 'entity', name: ' ', entityType: 'person', observations: ['?'] },
    )
    const entity = (name: string, type: string, content?: string) => ({
      content: { entity: { name, type, ...(content !== undefined && { content }) } },
      labels: ['server-memory'],
      metadata: {},
      idempotencyKey: expect.stringMatching(/^server-memory:[0-9a-f]{32}$/u),
    })
    for (const path of ['graph/memory.jsonl', 'graph/memory.json']) {
      const { name, items } = await read(write(path, graph))
      expect(name).toBe('server-memory')
      expect(inputs(items)).toEqual([
        { where: 'relation from "Nobody"', leftOut: 'relations of nothing' },
        entity('Ada', 'person', 'Keeps bees\nLives in Rye\nAda sells at market Honey'),
        entity('Honey', 'product'),
        { where: 'entity 3', problem: expect.stringContaining('is no object') },
        { where: 'entity 4', problem: 'has no name' },
      ])
    }
    const answered = {
      entities: [{ name: 'Ada', entityType: 'person', observations: ['Keeps bees'] }],
      relations: [],
    }
    const { items } = await read(write('graph/read_graph.json', answered))
    expect(inputs(items)).toEqual([entity('Ada', 'person', 'Keeps bees')])
  })

  test('an export of mcp-memory-service keeps tags, times and types', async () => {
    const { name, items } = await read(
      write('service.json', {
        export_metadata: { source_machine: 'lab', total_memories: 3 },
        memories: [
          {
            content: 'Use pnpm',
            content_hash: 'abc',
            tags: ['build', 'node'],
            created_at: 1_700_000_000.5,
            memory_type: 'decision',
            metadata: { source: 'chat' },
          },
          {
            content: 'By text',
            content_hash: 'def',
            tags: 'one,two',
            created_at_iso: '2025-03-04T05:06:07Z',
          },
          null,
          { content: ' ', content_hash: 'x' },
        ],
      }),
    )
    expect(name).toBe('mcp-memory-service')
    expect(inputs(items)).toEqual([
      {
        content: { note: { text: 'Use pnpm' } },
        labels: ['build', 'node', 'mcp-memory-service'],
        occurredAt: '2023-11-14T22:13:20.500Z',
        metadata: { source: 'chat', type: 'decision', machine: 'lab' },
        idempotencyKey: 'mcp-memory-service:abc',
      },
      {
        content: { note: { text: 'By text' } },
        labels: ['one', 'two', 'mcp-memory-service'],
        occurredAt: '2025-03-04T05:06:07.000Z',
        metadata: { machine: 'lab' },
        idempotencyKey: 'mcp-memory-service:def',
      },
      { where: 'memory 3', problem: 'is no object: null' },
      { where: 'memory 4', problem: 'has no text' },
    ])
  })

  test('an export of claude-mem: observations, decisions, summaries and prompts, in the context of their project', async () => {
    const of = (more: object) => ({
      memory_session_id: 's1',
      project: 'shop',
      created_at_epoch: 1_700_000_000_000,
      ...more,
    })
    const { name, items } = await read(
      write('claude-mem.json', {
        query: '',
        observations: [
          of({
            id: 1,
            type: 'bugfix',
            title: 'Till rounds wrongly',
            subtitle: 'VAT',
            narrative: 'It rounded each line.',
            facts: '["Fixed in till.ts"]',
            concepts: '["gotcha"]',
            files_modified: '["till.ts"]',
          }),
          of({ id: 2, type: 'decision', title: 'Database', narrative: 'We take Postgres' }),
          of({ id: 3, type: 'change', title: null, text: null }),
        ],
        summaries: [of({ id: 4, request: 'Mend the till', completed: 'Done', learned: null })],
        prompts: [
          of({
            id: 5,
            memory_session_id: undefined,
            content_session_id: 'c1',
            prompt_number: 2,
            prompt_text: 'mend it',
          }),
        ],
        sessions: [{}, {}],
      }),
    )
    expect(name).toBe('claude-mem')
    const common = { context: 'shop', occurredAt: '2023-11-14T22:13:20.000Z' }
    expect(inputs(items)).toEqual([
      {
        ...common,
        content: {
          fact: { summary: 'Till rounds wrongly', content: 'VAT\nIt rounded each line.\nFixed in till.ts' },
        },
        labels: ['claude-mem', 'gotcha'],
        metadata: { type: 'bugfix', session: 's1', filesModified: ['till.ts'] },
        idempotencyKey: expect.stringMatching(/^claude-mem:observation:[0-9a-f]{32}$/u),
      },
      expect.objectContaining({
        content: { decision: { topic: 'Database', decision: 'We take Postgres' } },
        onExisting: 'KEEP_BOTH',
      }),
      { where: 'observation 3', problem: 'has no text' },
      expect.objectContaining({
        ...common,
        content: { session: { summary: 'Asked: Mend the till\nDone: Done', status: 'CLOSED' } },
      }),
      expect.objectContaining({ content: { note: { text: 'user: mend it' } }, labels: ['claude-mem'] }),
      { where: 'sessions', leftOut: 'session records' },
      { where: 'sessions', leftOut: 'session records' },
    ])
    const keys = inputs(items).flatMap((one) => ('idempotencyKey' in one ? [one.idempotencyKey] : []))
    expect(new Set(keys).size).toBe(4)
  })

  test('other JSON Lines are none of these', async () => {
    expect(await openForeign(write('other.jsonl', '{"type":"note","text":"x"}\n'), undefined)).toBeNull()
    expect(await openForeign(write('empty.jsonl', ''), undefined)).toBeNull()
  })
})
