import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readForeign, useFolder, writeIn } from '../testing/foreign-files.ts'

const folder = useFolder()

const node = (id: string, parent: string | null, text: string, at = 0) => ({
  id,
  parent,
  message: {
    id,
    author: { role: 'user' },
    content: { content_type: 'text', parts: [text] },
    ...(at > 0 && { create_time: at }),
  },
})

const chat = (nodes: readonly ReturnType<typeof node>[], leaf?: string | null) => ({
  title: 'Chat',
  conversation_id: `c-${nodes[0]?.id}`,
  mapping: Object.fromEntries(nodes.map((one) => [one.id, one])),
  ...(leaf !== undefined && { current_node: leaf }),
})

const texts = async (path: string) =>
  (await readForeign(path)).items.map((item) =>
    'input' in item ? (item.input.content as { note: { text: string } }).note.text : item,
  )

test.each([
  ['that the export does not have', 'gone'],
  ['that is null', null],
  ['that is missing', undefined],
])('a conversation is told to its newest leaf where it names a last message %s', async (_, leaf) => {
  // In another order than they were written.
  const nodes = [
    node('b', 'a', 'the newer answer', 3),
    node('a', null, 'the question', 1),
    node('c', 'a', 'the older', 2),
  ]
  expect(await texts(writeIn(folder, 'tree/conversations.json', [chat(nodes, leaf)]))).toEqual([
    expect.stringContaining('the question'),
    expect.stringContaining('the newer answer'),
    { where: expect.anything(), leftOut: 'other answers' },
  ])
})

test('what hangs on a message that the export lacks is told, too', async () => {
  const nodes = [node('a', null, 'the beginning', 1), node('c', 'b', 'the end', 3)]
  expect(await texts(writeIn(folder, 'torn/conversations.json', [chat(nodes, 'c')]))).toEqual([
    expect.stringContaining('the beginning'),
    expect.stringContaining('the end'),
  ])
})

test('marks of the page are no text, and the name of a thing stays', async () => {
  const text =
    'Balloons measure wind \uE200cite\uE202turn0search1\uE201 well, says \uE200entity\uE202["company","Vaisala","x"]\uE201.'
  expect(await texts(writeIn(folder, 'marks/conversations.json', [chat([node('a', null, text)])]))).toEqual([
    expect.stringContaining('Balloons measure wind  well, says Vaisala.'),
  ])
})

test('an export in several files is read whole', async () => {
  writeIn(folder, 'parts/conversations-000.json', [chat([node('a', null, 'the first file')])])
  writeIn(folder, 'parts/conversations-001.json', [chat([node('b', null, 'the second file')])])
  writeIn(folder, 'parts/user.json', {})
  writeIn(folder, 'parts/dalle/picture.webp', 'x')
  writeIn(folder, 'parts/conversations-002.json', '[{"title": "torn')
  expect(await texts(join(folder, 'parts'))).toEqual([
    expect.stringContaining('the first file'),
    expect.stringContaining('the second file'),
    { where: 'conversations-002.json', problem: 'holds no conversations' },
    { where: 'dalle/picture.webp', leftOut: 'files (.webp)' },
    { where: 'user.json', leftOut: 'files (.json)' },
  ])
})
