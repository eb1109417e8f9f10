import * as mutations from '@daybook/api/mutations'
import { z } from 'zod'
import { type Outcome, WRITTEN, WRITTEN_OUTPUT, writtenAnswer } from '../answers/memory.ts'
import { jsonIn } from '../json-schema.ts'
import type { Session } from '../session.ts'
import { COMMON, commonOf, contentOf, fields, KIND_FIELDS, withFields } from './memory-arguments.ts'
import { context, kind } from './search.ts'
import { type Answer, tool } from './tool.ts'

const REMEMBER = mutations.rememberMany('sequence duplicate outcome sameText memory { ...WrittenMemory }', [
  WRITTEN,
])

/** The most memories of one call: as many as the API takes. */
const MOST = 500

/** A memory in the form of the arguments: a bare text is a note, and so is what says no kind. */
function memoryOf(given: unknown): unknown {
  const memory = jsonIn(given)
  if (typeof memory === 'string') return { kind: 'note', fields: { text: memory } }
  if (typeof memory !== 'object' || memory === null || Array.isArray(memory)) return memory
  const { kind: of = 'note' } = memory as { readonly kind?: unknown }
  return withFields({ ...memory, kind: of }, String(of).toLowerCase(), ['kind', 'onExisting'])
}

/** Store memories. */
export const remember = tool({
  name: 'remember',
  toolset: 'core',
  title: 'Remember',
  description: `Stores one or more memories for good; { text } alone is a note. Fields by kind (* required): ${KIND_FIELDS}. A key, name or topic that exists is revised, decisions are kept beside each other; onExisting says otherwise.`,
  effect: 'adds',
  input: z.object({
    memories: z
      .array(
        z.object({
          kind,
          fields: fields('of the kind'),
          ...COMMON,
          onExisting: z.enum(['REVISE', 'KEEP_BOTH', 'REJECT']).optional(),
        }),
      )
      .min(1)
      .max(MOST),
    idempotencyKey: z.string().optional().describe('the same key again does not write again'),
  }),
  output: WRITTEN_OUTPUT,
  accept(given) {
    if (typeof given === 'string') return { memories: [memoryOf(given)] }
    if (typeof given !== 'object' || given === null) return given
    if (!('memories' in given)) {
      const { idempotencyKey, ...memory } = given as Readonly<Record<string, unknown>>
      return Object.keys(memory).length === 0 ? given : { idempotencyKey, memories: [memoryOf(memory)] }
    }
    const memories = jsonIn(given.memories)
    return { ...given, memories: (Array.isArray(memories) ? memories : [memories]).map(memoryOf) }
  },
  example: () => ({
    memories: [
      {
        kind: 'insight',
        fields: { key: 'jwt-validation', content: 'Always validate JWT expiration before trusting claims' },
        labels: ['security'],
      },
      { kind: 'todo', fields: { description: 'Rotate the signing keys' } },
    ],
  }),
  async run({ memories, idempotencyKey }, session) {
    const inputs = memories.map(({ kind: of, fields: own, onExisting, ...common }, at) => ({
      content: contentOf(of, own),
      agent: session.agent,
      context: session.context,
      ...commonOf(common),
      onExisting,
      idempotencyKey: session.newKey(idempotencyKey, at),
    }))
    const { result } = await session.ask(REMEMBER, { inputs })
    return writtenAnswer('remembered', result, { receipts: session.receipts, titled: false })
  },
})

const INDEX = mutations.indexDocument('sequence duplicate outcome memory { ...WrittenMemory }', [WRITTEN])

/** Index a document. */
export const indexDocument = tool({
  name: 'index_document',
  toolset: 'documents',
  title: 'Index a document',
  description:
    'Stores a longer text under an id of yours, such as its path. The same id again replaces its text.',
  effect: 'changes',
  idempotent: true,
  input: z.object({
    id: z.string(),
    content: z.string(),
    title: z.string().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    context,
  }),
  output: WRITTEN_OUTPUT,
  example: () => ({
    id: 'docs/auth.md',
    title: 'Authentication',
    content: 'Every request carries a token. The gateway checks its expiry before anything else.',
  }),
  async run({ context: within, ...given }, session) {
    const { result } = await session.ask(INDEX, {
      ...given,
      context: within ?? session.context,
      idempotencyKey: session.newKey(undefined),
    })
    return writtenAnswer('indexed', [result], { receipts: session.receipts, titled: false })
  },
})

/**
 * One write for each memory, one after the other, so that they take effect in the order of the ids. A refusal does not end them.
 * @param done in the past tense, for the text and the outcome: `forgotten`
 * @param write asks for one; its idempotency key is drawn for it
 */
export async function writeEach(
  done: string,
  ids: readonly string[],
  session: Session,
  write: (variables: { readonly id: string; readonly idempotencyKey: string }) => Promise<Outcome>,
): Promise<Answer<z.input<typeof WRITTEN_OUTPUT>>> {
  const results: Outcome[] = []
  for (const id of ids) results.push(await write({ id, idempotencyKey: session.newKey(undefined) }))
  return writtenAnswer(done, results, { receipts: session.receipts, titled: true })
}
