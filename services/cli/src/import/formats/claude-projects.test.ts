import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inputs, readForeign, useFolder, writeIn } from '../testing/foreign-files.ts'

const folder = useFolder()

const PROJECT = '0192aaaa-1111'
const chats = [
  {
    uuid: 'c1',
    name: 'Bees',
    chat_messages: [{ uuid: 'm1', sender: 'human', text: 'How do bees sleep?' }],
  },
]
const project = {
  uuid: PROJECT,
  name: 'Apiary',
  description: 'About my hives',
  prompt_template: 'Answer as a beekeeper.',
  created_at: '2025-05-05T10:00:00+00:00',
  docs: [
    { uuid: 'd1', filename: 'hives.md', content: 'Three hives.', created_at: '2025-05-06T10:00:00Z' },
    { uuid: 'd2', filename: 'photo.png' },
    null,
  ],
}
const memory = {
  account_uuid: 'acct',
  conversations_memory: '**Work context**\n\nKeeps bees.',
  project_memories: { [PROJECT]: 'Winters in Rye.', other: null },
}

const inProject = { context: 'Apiary (claude 0192aaaa)', labels: ['claude'], metadata: { project: PROJECT } }
const documentOf = (title: string, content: string, key: string) => ({
  content: { document: { title, content, externalId: `claude:${key}` } },
  idempotencyKey: `claude:${key}`,
})

const EXPECTED = [
  expect.objectContaining({ content: { note: { text: 'How do bees sleep?' } } }),
  {
    ...inProject,
    ...documentOf('Apiary', 'About my hives\nAnswer as a beekeeper.', `project:${PROJECT}`),
    occurredAt: '2025-05-05T10:00:00.000Z',
  },
  {
    ...inProject,
    ...documentOf('hives.md', 'Three hives.', 'project-file:d1'),
    occurredAt: '2025-05-06T10:00:00.000Z',
  },
  { where: '"photo.png"', leftOut: 'files' },
  {
    ...documentOf('Claude’s memory', '**Work context**\n\nKeeps bees.', 'memory:acct'),
    labels: ['claude'],
    metadata: {},
  },
  {
    ...inProject,
    ...documentOf('Claude’s memory of Apiary', 'Winters in Rye.', `project-memory:${PROJECT}`),
  },
  { where: '"Claude’s memory of project other"', leftOut: 'empty memories' },
]

test('projects and memories beside the conversations become documents; accounts are counted', async () => {
  writeIn(folder, 'export/conversations.json', chats)
  writeIn(folder, 'export/memories.json', [memory])
  writeIn(folder, 'export/projects.json', [project])
  writeIn(folder, 'export/users.json', [{ uuid: 'acct', full_name: 'Ada' }])
  const { name, items } = await readForeign(join(folder, 'export'))
  expect(name).toBe('claude')
  expect(inputs(items)).toEqual([...EXPECTED, { where: 'users.json', leftOut: 'files (.json)' }])
})

test('the newer layout, with a folder for each archive and a file for each project, says the same', async () => {
  const files = [
    { path: '/areas/sales.md', content: 'Sells honey.', updated_at: '2026-01-02T03:04:05Z' },
    { path: `/projects/${PROJECT}/style.md`, content: 'Be plain.', updated_at: '' },
  ]
  writeIn(folder, 'new/conversations-000/conversations.json', chats)
  writeIn(folder, 'new/memories-000/memories/acct.json', { ...memory, memory_files: files })
  writeIn(folder, `new/projects-000/projects/${PROJECT}.json`, project)
  writeIn(folder, 'new/light_metadata-000/users.json', [])
  const { items } = await readForeign(join(folder, 'new'))
  expect(inputs(items)).toEqual([
    ...EXPECTED,
    expect.objectContaining({
      ...documentOf('/areas/sales.md', 'Sells honey.', 'memory-file:acct:/areas/sales.md'),
      occurredAt: '2026-01-02T03:04:05.000Z',
    }),
    expect.objectContaining({
      ...inProject,
      ...documentOf(
        `/projects/${PROJECT}/style.md`,
        'Be plain.',
        `memory-file:acct:/projects/${PROJECT}/style.md`,
      ),
    }),
    { where: 'light_metadata-000/users.json', leftOut: 'files (.json)' },
  ])
})

test('a file of its own is known by its content, and what it lacks is told', async () => {
  const bare = { uuid: 'p', name: ' ', prompt_template: null, docs: null }
  const { name, items } = await readForeign(writeIn(folder, 'projects.json', [bare]))
  expect(name).toBe('claude')
  expect(items).toEqual([{ where: '"Untitled"', leftOut: 'projects without instructions' }])
  const odd = { conversations_memory: 'x'.repeat(70_000), project_memories: 'none', memory_files: [null] }
  const long = inputs((await readForeign(writeIn(folder, 'memories.json', odd))).items)
  expect(long).toMatchObject([
    { idempotencyKey: 'claude:memory:account' },
    { idempotencyKey: 'claude:memory:account:1' },
  ])
})
