/* Exports as the tools write them, in their older and newer layouts. The layouts are those of the tools' own sources and of public parsers. */

/** Files by their path; a text is written as it is, anything else as JSON. */
export type Files = Readonly<Record<string, unknown>>

const PICTURE = 'not text'

/** ChatGPT's conversation: each message answers the one before it, unless it names another. */
function chat(id: string, title: string, messages: readonly ChatMessage[]) {
  const nodes = messages.map(({ id: at, parent, role, ...message }, index) => ({
    id: at,
    parent: parent ?? (index === 0 ? `${id}-root` : messages[index - 1]?.id),
    children: [],
    message: {
      id: at,
      author: { role, name: null, metadata: {} },
      create_time: 1_700_000_000 + index,
      status: 'finished_successfully',
      weight: 1,
      metadata: {},
      recipient: 'all',
      ...message,
    },
  }))
  const root = { id: `${id}-root`, message: null, parent: null, children: [] }
  return {
    title,
    create_time: 1_700_000_000,
    update_time: 1_700_000_100,
    mapping: Object.fromEntries([root, ...nodes].map((node) => [node.id, node])),
    moderation_results: [],
    current_node: messages.at(-1)?.id,
    conversation_id: id,
    id,
  }
}

interface ChatMessage {
  readonly id: string
  readonly parent?: string
  readonly role: string
  readonly content: object
  readonly recipient?: string
  readonly metadata?: object
}

const said = (...parts: readonly unknown[]) => ({ content_type: 'text', parts })
const shown = (...parts: readonly unknown[]) => ({ content_type: 'multimodal_text', parts })

const CHATGPT_OLD: Files = {
  'conversations.json': [
    chat('11111111-old', 'Trip', [
      { id: 's', role: 'system', content: said('') },
      { id: 'q', role: 'user', content: said('Where to in May?') },
      { id: 'again', role: 'assistant', content: said('Paris.') },
      {
        id: 't',
        parent: 'q',
        role: 'assistant',
        content: { content_type: 'code', text: 'search("May")' },
        recipient: 'browser',
      },
      {
        id: 'r',
        role: 'tool',
        content: { content_type: 'tether_browsing_display', result: 'Lisbon is warm' },
      },
      { id: 'a', role: 'assistant', content: said('Lisbon.'), metadata: { model_slug: 'gpt-4' } },
    ]),
    { title: 'Lost', mapping: null },
  ],
  'chat.html': '<html></html>',
  'message_feedback.json': [],
  'model_comparisons.json': [],
  'shared_conversations.json': [
    { id: 'x', conversation_id: '11111111-old', title: 'Trip', is_anonymous: true },
  ],
  'user.json': { id: 'user-1', email: 'a@example.com' },
}

const VOICE: readonly ChatMessage[] = [
  {
    id: 'v1',
    role: 'user',
    content: shown(
      { content_type: 'audio_transcription', text: 'Which pier is it?', direction: 'in' },
      {
        content_type: 'real_time_user_audio_video_asset_pointer',
        audio_asset_pointer: { content_type: 'audio_asset_pointer', asset_pointer: 'sediment://file_1' },
      },
    ),
  },
  { id: 'v2', role: 'assistant', content: shown({ content_type: 'audio_transcription', text: 'Pier E7.' }) },
]

const CHATGPT_NEW: Files = {
  'conversations-000.json': [
    chat('22222222-voice', 'Ferry', VOICE),
    // What was branched off has the messages of the first, too.
    chat('33333333-branch', 'Branch · Ferry', [
      ...VOICE,
      { id: 'v3', role: 'user', content: said('And back?') },
    ]),
  ],
  'conversations-001.json': [
    chat('44444444-new', 'Plan', [
      {
        id: 'u',
        role: 'user',
        content: { content_type: 'user_editable_context', user_profile: 'x' },
        metadata: { is_visually_hidden_from_conversation: true },
      },
      {
        id: 'p',
        role: 'user',
        content: shown(
          { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-1' },
          'Like this',
        ),
      },
      { id: 'th', role: 'assistant', content: { content_type: 'thoughts', thoughts: [{ summary: 'hm' }] } },
      {
        id: 'rr',
        role: 'assistant',
        content: { content_type: 'reasoning_recap', content: 'Thought for 5s' },
      },
      {
        id: 'cv',
        role: 'assistant',
        recipient: 'canmore.create_textdoc',
        content: { content_type: 'code', text: '{"name":"Plan","type":"document","content":"Ferry first"}' },
      },
      { id: 'ct', role: 'tool', content: said('Successfully created text document.') },
      {
        id: 'cu',
        role: 'assistant',
        recipient: 'canmore.update_textdoc',
        content: { content_type: 'code', text: '{"updates":[]}' },
      },
      {
        id: 'dalle',
        role: 'tool',
        content: shown({ content_type: 'image_asset_pointer', asset_pointer: 'x' }),
      },
      {
        id: 'e',
        role: 'assistant',
        content: said('Done \uE200cite\uE202turn0search1\uE201.'),
        metadata: { model_slug: 'gpt-5' },
      },
    ]),
  ],
  'file-1-photo.png': PICTURE,
  'dalle-generations/file-2.webp': PICTURE,
  '22222222-voice/audio/file_1.wav': PICTURE,
  'user.json': {},
}

const claudeChat = (uuid: string, name: string, messages: readonly object[]) => ({
  uuid,
  name,
  created_at: '2024-05-05T10:00:00.000000Z',
  updated_at: '2024-05-05T10:01:00.000000Z',
  account: { uuid: 'acct' },
  chat_messages: messages,
})

const CLAUDE_OLD: Files = {
  'conversations.json': [
    claudeChat('55555555-old', 'Bees', [
      {
        uuid: 'o1',
        text: 'How do bees sleep?',
        sender: 'human',
        created_at: '2024-05-05T10:00:00.000000Z',
        attachments: [{ file_name: 'a.txt', file_type: 'txt', extracted_content: 'honey' }],
        files: [{ file_name: 'photo.png' }],
      },
      { uuid: 'o2', text: 'In groups.', sender: 'assistant', created_at: '2024-05-05T10:00:01.000000Z' },
    ]),
    claudeChat('66666666-none', '', []),
  ],
  'users.json': [{ uuid: 'acct', full_name: 'Ada' }],
}

/** The id of the project in Claude's export. */
export const PROJECT = '0192aaaa-1111-7000-8000-000000000001'

const CLAUDE_NEW: Files = {
  'conversations-000/conversations.json': [
    claudeChat('77777777-new', 'Hives', [
      { uuid: 'n1', text: '', content: [{ type: 'text', text: 'Draw a plan' }], sender: 'human' },
      {
        uuid: 'n2',
        text: '',
        sender: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'tool_use', name: 'web_search', input: { query: 'hives' } },
          { type: 'tool_result', name: 'web_search', content: [] },
          { type: 'tool_use', name: 'artifacts', input: { title: 'Plan', content: 'Three hives' } },
          { type: 'text', text: 'Here it is.', citations: [] },
        ],
      },
      { uuid: 'n3', text: '', content: [], sender: 'human' },
    ]),
  ],
  [`projects-000/projects/${PROJECT}.json`]: {
    uuid: PROJECT,
    name: 'Apiary',
    description: '',
    is_private: true,
    is_starter_project: false,
    prompt_template: 'Answer as a beekeeper.',
    created_at: '2025-05-05T10:00:00+00:00',
    creator: { uuid: 'acct', full_name: 'Ada' },
    docs: [
      { uuid: 'd1', filename: 'hives.md', content: 'Three hives.', created_at: '2025-05-05T10:00:00+00:00' },
      { uuid: 'd2', filename: 'photo.png' },
    ],
  },
  'memories-000/memories/acct.json': {
    conversations_memory: '**Work context**\n\nKeeps bees.',
    project_memories: { [PROJECT]: 'Winters in Rye.' },
    memory_files: [{ path: '/areas/sales.md', content: 'Sells honey.', updated_at: '2026-01-02T03:04:05Z' }],
    account_uuid: 'acct',
  },
  'design_chats-000/design_chats/d.json': { uuid: 'd', title: 'Logo', messages: [] },
  'light_metadata-000/users.json': [{ uuid: 'acct' }],
}

const MEM0: Files = {
  'mem0.json': {
    results: [
      {
        id: 'm1',
        memory: 'Prefers tea',
        hash: 'x',
        user_id: 'ada',
        categories: ['food'],
        metadata: { notes: 'x'.repeat(20_000) },
        created_at: '2025-01-01T10:00:00-08:00',
      },
      { id: 'm2', memory: 'lantern '.repeat(10_000), user_id: 'ada', created_at: '2025-01-01 10:00:00' },
      { id: 'm3', memory: null },
      { id: 'm4', memory: 'Was in Rye', expiration_date: '2020-01-01' },
    ],
  },
}

const session = { memory_session_id: 's1', project: 'shop', created_at_epoch: 1_700_000_000_000 }

const CLAUDE_MEM: Files = {
  'claude-mem.json': {
    exportedAt: '2026-01-01T00:00:00Z',
    query: '',
    observations: [
      {
        ...session,
        id: 1,
        type: 'bugfix',
        title: 'Till rounds wrongly',
        narrative: 'Each line.',
        facts: '["Fixed in till.ts"]',
        concepts: JSON.stringify(Array.from({ length: 33 }, (_, index) => `concept-${index}`)),
        files_modified: '["till.ts"]',
      },
      { ...session, id: 2, type: 'decision', title: 'd'.repeat(300), narrative: 'We take Postgres' },
      { ...session, id: 3, type: 'change', title: null },
    ],
    summaries: [{ ...session, id: 4, request: 'Mend the till', completed: 'Done' }],
    prompts: [{ id: 5, content_session_id: 'c1', project: 'shop', prompt_number: 1, prompt_text: 'mend it' }],
    sessions: [{ id: 6 }],
  },
}

const drawer = (id: string, text: string) =>
  `## ${id}\n\n> ${text}\n\n| Field | Value |\n|-------|-------|\n| Source | a.py |\n| Filed | 2026-04-01T10:00:00 |\n| Added by | miner |\n\n---\n\n`

const MEMPALACE: Files = {
  'index.md':
    '# Snapshot Index\n\n| Wing | Rooms | Drawers |\n|------|-------|---------|\n| [shop](shop/) | 2 | 3 |\n',
  'overview.md': '# Palace Snapshot\n\n- Snapshot: `2026-04-01_100000`\n',
  'manifest.json': { format: 'markdown_snapshot', stats: { wings: 1, rooms: 2, drawers: 3 } },
  'shop/index.md':
    '# Wing Export — shop\n\n| Room | Drawers |\n|------|---------|\n| [till](till.md) | 2 |\n',
  'shop/till.md': `# shop / till\n\n${drawer('drawer_1', 'It rounds.')}${drawer('drawer_2', 'It rings.')}`,
  'shop/door.md': `# shop / door\n\n${drawer('drawer_3', 'It creaks.')}`,
}

const MEMORY_SERVICE: Files = {
  'export.json': {
    export_metadata: { source_machine: 'lab', total_memories: 3, exporter_version: '5.0.0' },
    memories: [
      {
        content: 'Use pnpm',
        content_hash: 'abc',
        tags: Array.from({ length: 35 }, (_, index) => `tag-${index}`),
        created_at: 1_700_000_000.5,
        memory_type: 'decision',
        metadata: {},
      },
      { content: 'By text', content_hash: 'def', tags: 'one,two', created_at_iso: '2025-03-04T05:06:07Z' },
      { content: ' ', content_hash: 'x' },
    ],
  },
}

const GRAPH: Files = {
  'memory.jsonl': [
    { type: 'entity', name: 'Ada', entityType: 'person', observations: ['Keeps bees'] },
    {
      type: 'entity',
      name: 'H'.repeat(300),
      entityType: 'product',
      observations: ['lantern '.repeat(10_000)],
    },
    { type: 'entity', name: 'Ada', entityType: 'person', observations: ['Lives in Rye'] },
    { type: 'relation', from: 'Ada', to: 'Honey', relationType: 'sells' },
    { type: 'relation', from: 'Nobody', to: 'Ada', relationType: 'knows' },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n'),
}

const VAULT: Files = {
  'Ada.md':
    '---\naliases: [Countess]\ntags: [people, bees]\ncreated: 2024-03-05T10:00\n---\nKeeps bees. ![[photo.png]]',
  'Many tags.md': `---\ntags: [${Array.from({ length: 40 }, (_, index) => `t${index}`).join(', ')}, ${'x'.repeat(70)}]\n---\nTagged.`,
  'Long.md': `---\ntitle: ${'t'.repeat(300)}\nsource: ${'s'.repeat(17_000)}\n---\nLong names.`,
  'Broken.md': '---\n: [\n---\nText.',
  'Empty.md': ' ',
  'Board.canvas': { nodes: [], edges: [] },
  'Books.base': 'views: []',
  'attachments/photo.png': PICTURE,
  'attachments/paper.pdf': PICTURE,
  '.obsidian/app.json': {},
  '.trash/Old.md': 'gone',
}

const PAGE = '0123456789abcdef0123456789abcdef'

/** Notion's, unpacked. */
export const NOTION: Files = {
  [`Home ${PAGE}.md`]: `# Home\n\n[Books](Books%20${PAGE}.csv)\n\n![](Home/Untitled.png)`,
  [`Books ${PAGE}.csv`]: '\uFEFFName,Tags\nDune,novel\n',
  [`Books ${PAGE}_all.csv`]: '\uFEFFName,Tags\nDune,novel\n',
  [`Books/Dune ${PAGE}.md`]: '# Dune\n\nCreated: March 5, 2024 10:00 AM\nTags: novel\n\nSand.',
  'Home/Untitled.png': PICTURE,
  'index.html': '<html></html>',
}

/** What an import counts, without what is 0 or empty. */
export interface Account {
  readonly imported?: number
  readonly alreadyThere?: number
  readonly failed?: number
  readonly leftOut?: Readonly<Record<string, number>>
}

/** Each with the file that is imported, empty for the whole folder, and its account. */
export const EXPORTS: readonly (readonly [tool: string, file: string, files: Files, account: Account])[] = [
  [
    'ChatGPT, one file',
    '',
    CHATGPT_OLD,
    {
      imported: 2,
      failed: 1,
      leftOut: { 'tool calls': 2, 'other answers': 1, 'files (.html)': 1, 'files (.json)': 4 },
    },
  ],
  [
    'ChatGPT, numbered files with voice, canvas and pictures',
    '',
    CHATGPT_NEW,
    {
      imported: 6,
      alreadyThere: 2,
      leftOut: {
        'hidden messages': 1,
        files: 1,
        thoughts: 2,
        'tool calls': 3,
        'files (.wav)': 1,
        'files (.webp)': 1,
        'files (.png)': 1,
        'files (.json)': 1,
      },
    },
  ],
  ['Claude, one file', '', CLAUDE_OLD, { imported: 2, leftOut: { files: 1, 'files (.json)': 1 } }],
  [
    'Claude, a folder for each archive, with projects and memories',
    '',
    CLAUDE_NEW,
    {
      imported: 7,
      leftOut: { thoughts: 1, 'tool calls': 2, 'empty messages': 1, files: 1, 'files (.json)': 2 },
    },
  ],
  [
    'mem0',
    'mem0.json',
    MEM0,
    { imported: 3, failed: 1, leftOut: { 'metadata fields (too long)': 1, 'expired ones': 1 } },
  ],
  [
    'claude-mem',
    'claude-mem.json',
    CLAUDE_MEM,
    {
      imported: 4,
      failed: 1,
      leftOut: {
        'labels (kept in the metadata)': 2,
        'long names (whole in the metadata)': 1,
        'session records': 1,
      },
    },
  ],
  ['MemPalace, a snapshot', '', MEMPALACE, { imported: 5, leftOut: { 'files (.json)': 1 } }],
  [
    'mcp-memory-service',
    'export.json',
    MEMORY_SERVICE,
    { imported: 2, failed: 1, leftOut: { 'labels (kept in the metadata)': 4 } },
  ],
  [
    'a knowledge graph of server-memory',
    'memory.jsonl',
    GRAPH,
    {
      imported: 3,
      alreadyThere: 1,
      leftOut: { 'relations of nothing': 1, 'long names (whole in the metadata)': 1 },
    },
  ],
  [
    'an Obsidian vault',
    '',
    VAULT,
    {
      imported: 4,
      leftOut: {
        'files (.canvas)': 1,
        'files (.base)': 1,
        'files (.pdf)': 1,
        'files (.png)': 1,
        'unreadable front matters (kept as text)': 1,
        'empty files': 1,
        'labels (kept in the metadata)': 9,
        'long names (whole in the metadata)': 1,
        'metadata fields (too long)': 1,
      },
    },
  ],
  [
    'Notion, unpacked',
    '',
    NOTION,
    { imported: 2, leftOut: { 'files (.csv)': 2, 'files (.png)': 1, 'files (.html)': 1 } },
  ],
]
