import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inputs, readForeign, useFolder, writeIn } from '../testing/foreign-files.ts'
import { openForeign } from './open-foreign.ts'

const folder = useFolder()
const write = (path: string, content: unknown) => writeIn(folder, path, content)

describe('markdown', () => {
  test('files become documents with what their front matter says; other files are counted, hidden folders passed over', async () => {
    write(
      'vault/b.md',
      '---\ntitle: Brewing\ntags: "#coffee, tea"\ndate: 2025-03-04\npermalink: b\n---\nPour over.\n',
    )
    write('vault/people/Ada.md', 'Keeps bees.')
    write('vault/.obsidian/x.md', 'hidden')
    write('vault/picture.png', 'x')
    const { name, items } = await readForeign(join(folder, 'vault'))
    expect(name).toBe('markdown')
    expect(inputs(items)).toEqual([
      { where: 'picture.png', leftOut: 'files (.png)' },
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
    const first = inputs((await readForeign(path)).items)
    expect(inputs((await readForeign(path)).items)).toEqual(first)
    write('one.md', 'second')
    const [second] = inputs((await readForeign(path)).items)
    expect(second).not.toMatchObject({
      idempotencyKey: (first[0] as { idempotencyKey: string }).idempotencyKey,
    })
  })

  test('a file that cannot be read is named, and the others are read', async () => {
    write('bad/a.md', '---\n: [\n---\nx')
    write('bad/b.md', ' \n')
    write('bad/c.md', 'fine')
    const { items } = await readForeign(join(folder, 'bad'))
    expect(items.map((item) => [item.where, ...Object.keys(item).slice(1)])).toEqual([
      ['a.md', 'leftOut'],
      ['a.md', 'input'],
      ['b.md', 'leftOut'],
      ['c.md', 'input'],
    ])
    expect(inputs(items)[1]).toMatchObject({ content: { document: { content: '---\n: [\n---\nx' } } })
  })

  test('notes as people write them: a colon in a title, properties alone, a date as name, tags of many forms', async () => {
    write('people/colon.md', '---\ntitle: L2: the split (Part: Core)\ntags: [a, b]\n---\nok')
    write('people/props.md', '---\nowner: Bea\ntags: 2024\n---')
    write('people/2023-01-01.md', '---\ntags: \'["alpha", "two words"]\'\n---\ngarlic')
    const { items } = await readForeign(join(folder, 'people'))
    expect(inputs(items)).toMatchObject([
      {
        content: { document: { content: 'garlic' } },
        occurredAt: expect.stringMatching(/^2023-01-01|^2022-12-31/u),
        labels: ['alpha', 'two words'],
      },
      { content: { document: { title: 'L2: the split (Part: Core)', content: 'ok' } }, labels: ['a', 'b'] },
      { content: { document: { content: 'owner: Bea\ntags: 2024' } }, labels: ['2024'] },
    ])
  })

  test('a note longer than a text may be becomes several documents, and a name is one however its accents are written', async () => {
    const word = 'lantern '
    const { items: long } = await readForeign(write('long/big.md', word.repeat(20_000)))
    expect(inputs(long)).toMatchObject(
      ['big.md', 'big.md#2', 'big.md#3'].map((externalId) => ({ content: { document: { externalId } } })),
    )
    for (const form of ['NFC', 'NFD']) {
      const { items } = await readForeign(write(`${form}/${'é'.normalize(form)}.md`, 'x'))
      expect(inputs(items)).toMatchObject([{ content: { document: { title: 'é', externalId: 'é.md' } } }])
    }
  })

  test('a folder without Markdown is refused', async () => {
    write('empty/x.txt', 'x')
    await expect(readForeign(join(folder, 'empty'))).rejects.toThrow(/holds no Markdown file \(\.md\)$/u)
    write('empty/conversations-000.zip', 'x')
    await expect(readForeign(join(folder, 'empty'))).rejects.toThrow(
      'but archives: import each, or unpack them first',
    )
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
    const [input] = inputs((await readForeign(write('dated/x.md', `---\n${given}\n---\nText.`))).items)
    expect(input).toMatchObject({ metadata: { ...metadata, path: 'x.md' } })
    expect(input).toHaveProperty('occurredAt', occurredAt)
  })

  test('names of front matter count whatever their capitals, and both tag and tags', async () => {
    const path = write('capitals.md', '---\nTitle: A\nTags: [x, null]\ntag: y\n---\nText.')
    expect(inputs((await readForeign(path)).items)).toMatchObject([
      { content: { document: { title: 'A' } }, labels: ['x', 'y'], metadata: { path: 'capitals.md' } },
    ])
  })

  test.each([
    ['aliases: [Countess of Lovelace, AAL, null]', 'Countess of Lovelace, AAL'],
    ['Alias: "Countess of Lovelace, AAL"', 'Countess of Lovelace, AAL'],
    ['aliases:\n  - Ada\n  - AAL\nalias: AAL', 'AAL'],
    ['aliases: []', null],
    ['alias: {a: 1}', null],
  ])('other names of a note, %j, stand above its text', async (given, names) => {
    const path = write('aliases/Ada.md', `---\n${given}\n---\nKeeps bees.`)
    const content = names === null ? 'Keeps bees.' : `Also called: ${names}\n\nKeeps bees.`
    expect(inputs((await readForeign(path)).items)).toMatchObject([
      { content: { document: { title: 'Ada', content } } },
    ])
  })

  test('links and embeds stay as they are written, and what they name is a document of its own', async () => {
    const text = 'See [[Bees]], [[people/Ada#Hives|the keeper]] and ![[Plan.pdf]]. ![[Bees]]'
    write('links/Index.md', text)
    write('links/Bees.md', 'They sleep in groups.')
    const { items } = await readForeign(join(folder, 'links'))
    expect(inputs(items)).toMatchObject([
      { content: { document: { title: 'Bees', content: 'They sleep in groups.' } } },
      { content: { document: { title: 'Index', content: text } } },
    ])
  })

  test('what only has a kind is a document of others', async () => {
    const path = write('todo.md', '---\nkind: todo\nstatus: done\n---\nPaint the fence.')
    expect(inputs((await readForeign(path)).items)).toMatchObject([
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
    const { items } = await readForeign(join(folder, 'linked'))
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
    const { name, items } = await readForeign(dirname(path))
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
    expect(inputs((await readForeign(path)).items)).toMatchObject([
      { content: { note: { text: 'Pier E7' } } },
      { leftOut: 'thoughts' },
      { content: { note: { text: 'plan:\nFerry first' } } },
      { leftOut: 'tool calls' },
    ])
  })

  test('an odd conversation is named, and the others are read', async () => {
    const mapping = message('a', null, 'user', ['Meridian'])
    const { name, items } = await readForeign(
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
      expect(inputs((await readForeign(join(folder, 'bytes.json'))).items)).toMatchObject([
        { content: { note: { text: 'Grüße' } } },
      ])
    }
  })

  test('a tree with a circle ends', async () => {
    const mapping = { ...message('a', 'b', 'user', ['x']), ...message('b', 'a', 'user', ['y']) }
    const { items } = await readForeign(
      write('circle.json', [{ title: 't', id: 'i', current_node: 'a', mapping }]),
    )
    expect(items).toHaveLength(2)
  })
})

describe('claude', () => {
  test('messages become notes; text that was read from attachments stands below', async () => {
    const { name, items } = await readForeign(
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
    const { items } = await readForeign(
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
    const { name, items } = await readForeign(write('mem0.json', value))
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
    const { items } = await readForeign(
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
    expect((await readForeign(path, 'claude')).name).toBe('claude')
    await expect(readForeign(path, 'chatgpt')).rejects.toThrow(
      'cannot be imported as chatgpt: it is not the export',
    )
    await expect(readForeign(write('d.json', '{'), 'mem0')).rejects.toThrow('as mem0')
  })
})
