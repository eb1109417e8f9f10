import { memoryFiles } from '@daybook/client/ai'
import { createOwnWrites, READABLE } from '@daybook/client/own-writes/own-writes'
import { createReads } from '@daybook/client/reads'
import { createWrites } from '@daybook/client/writes'
import { safeLines, setIn } from '@daybook/memory/safe-text'
import { z } from 'zod'
import type { Session } from '../session.ts'
import { tool } from './tool.ts'

/** The folder of those who work in no context, and what stands before the context of the others. */
const FOLDER = 'memory-files'

/** The longest folder, in characters. */
const MOST = 100

const text = z.string().optional()

/** The files of the memory tool that models of Anthropic know as `memory_20250818`. */
export const memory = tool({
  name: 'memory',
  toolset: 'files',
  title: 'Memory files',
  description:
    'Keeps files below /memories. view a file or folder (view_range: first and last line), create, str_replace (old_str must be unique), insert after a line, delete, rename. Every edit has a history.',
  effect: 'changes',
  input: z.object({
    command: z.enum(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
    path: text.describe('/memories/…; of all but rename'),
    file_text: text,
    old_str: text,
    new_str: text,
    insert_line: z.int().optional(),
    insert_text: text,
    view_range: z.array(z.int()).length(2).optional(),
    old_path: text,
    new_path: text,
  }),
  output: z.looseObject({ text: z.string() }),
  example: () => ({ command: 'create' as const, path: '/memories/style.md', file_text: 'Short sentences.' }),
  async run(command, session) {
    const folder =
      session.context === null ? FOLDER : `${FOLDER}/${session.context}`.slice(0, MOST).toWellFormed()
    const { client, settled } = clientOf(session)
    const said = await memoryFiles(client, { folder })(command)
    await settled()
    const quotes = command.command === 'view' || command.command === 'str_replace'
    const shown = quotes ? setIn(safeLines(said)) : said
    return { data: { text: said }, text: shown, quotes, failed: said.startsWith('Error: ') }
  },
})

/** The client's methods over a session; `settled` waits until what they wrote can be read by the next call, wherever that goes. */
function clientOf({ ask, newKey, receipts, agent }: Session) {
  const calls: Parameters<typeof createReads>[0] = {
    read: ask,
    change: async (document, variables, read, { idempotencyKey } = {}) =>
      read(await ask(document, variables(newKey(idempotencyKey)))),
  }
  const ownWrites = createOwnWrites(true, (place) => ask(READABLE, { id: '', ...place }))
  const noting = {
    ...ownWrites,
    note: (written: Parameters<typeof ownWrites.note>[0]) => {
      receipts.note(written.sequence)
      ownWrites.note(written)
    },
  }
  return {
    client: {
      ...createReads(calls, noting),
      ...createWrites({ calls, ownWrites: noting, defaults: { agent: agent ?? undefined }, request: ask }),
    },
    settled: () => ownWrites.readingAfter(undefined, async () => {}),
  }
}
