import type { InputOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import { isKindName } from '@daybook/memory/kinds/index'
import { safeLine } from '@daybook/memory/safe-text'
import { z } from 'zod'
import { type Outcome, WRITTEN, WRITTEN_OUTPUT, writtenAnswer } from '../answers/memory.ts'
import { OPERATION, operationLine, succeeded, waitForOperation } from '../tool-result.ts'
import { COMMON, commonOf, contentOf, emptied, fields, withFields } from './memory-arguments.ts'
import { writeEach } from './remember.ts'
import { FILTER, filterOf, id, kind, moment } from './search.ts'
import { tool } from './tool.ts'

const REVISE = mutations.revise('sequence duplicate memory { ...WrittenMemory }', [WRITTEN])

/** The kind of a memory to change: as given, else as its id begins. */
function kindIn(change: unknown): string {
  const { kind: given, id: memoryId } = (change ?? {}) as { readonly kind?: unknown; readonly id?: unknown }
  return String(given ?? String(memoryId).split(':')[0]).toLowerCase()
}

/** Change memories. */
export const revise = tool({
  name: 'revise',
  toolset: 'core',
  title: 'Revise memories',
  description:
    'Changes memories: only what is given changes. Earlier versions stay in the history. Fields are those of the kind, as in remember.',
  effect: 'changes',
  input: z.object({
    changes: z
      .array(
        z.object({
          id,
          kind: kind.optional().describe('if the id does not begin with it'),
          fields: fields('of the kind').optional(),
          ...COMMON,
          clear: z.array(z.string()).optional().describe('names of fields to empty'),
          expectedVersion: z.int().optional().describe('refuses if it is at another'),
        }),
      )
      .min(1)
      .max(50),
    idempotencyKey: z.string().optional(),
  }),
  output: WRITTEN_OUTPUT,
  accept(given) {
    const { changes } = (given ?? {}) as { readonly changes?: unknown }
    if (!Array.isArray(changes)) return given
    const beside = ['id', 'kind', 'clear', 'expectedVersion']
    return {
      ...(given as object),
      changes: changes.map((one) => withFields(one, kindIn(one), beside)),
    }
  },
  example: ({ memoryId }) => ({
    changes: [{ id: memoryId, fields: { content: 'Validate expiry and audience of a JWT' }, importance: 8 }],
  }),
  async run({ changes, idempotencyKey }, session) {
    const results: Outcome[] = []
    // One after the other: two changes of one memory keep their order.
    for (const [
      at,
      { id: memoryId, kind: given, fields: own, expectedVersion, clear = [], ...common },
    ] of changes.entries()) {
      const of = kindIn({ kind: given, id: memoryId })
      const empty = emptied(of, clear)
      const content = { ...own, ...empty.own }
      const hasContent = Object.keys(content).length > 0
      if (hasContent && !isKindName(of)) {
        results.push({
          code: 'VALIDATION',
          field: `changes[${at}].kind`,
          message: 'is missing: the id does not say of which kind it is',
        })
        continue
      }
      const { result } = await session.ask(REVISE, {
        id: memoryId,
        input: {
          ...commonOf(common),
          ...empty.common,
          ...(hasContent && { content: contentOf(of, content) }),
        } as InputOf<'ReviseInput'>,
        expectedVersion,
        idempotencyKey: session.newKey(idempotencyKey, at),
      })
      results.push(result)
    }
    return writtenAnswer('revised', results, { receipts: session.receipts, titled: true })
  },
})

const FORGET = mutations.forget('sequence duplicate memory { ...WrittenMemory }', [WRITTEN])

/** Take memories out of searches. */
export const forget = tool({
  name: 'forget',
  toolset: 'core',
  title: 'Forget memories',
  description: 'Takes memories out of all searches. They stay in the journal: restore brings them back.',
  effect: 'changes',
  idempotent: true,
  input: z.object({ ids: z.array(id).min(1).max(50) }),
  output: WRITTEN_OUTPUT,
  example: ({ memoryId }) => ({ ids: [memoryId] }),
  run: ({ ids }, session) =>
    writeEach('forgotten', ids, session, async (one) => (await session.ask(FORGET, one)).result),
})

const RESTORE = mutations.restore('sequence duplicate memory { ...WrittenMemory }', [WRITTEN])

/** Bring back a version, or a forgotten memory. */
export const restore = tool({
  name: 'restore',
  toolset: 'core',
  title: 'Restore a memory',
  description: 'Brings a forgotten memory back, or makes an earlier version (see history) the current one.',
  effect: 'changes',
  input: z.object({
    id,
    version: z.int().optional().describe('required unless it is forgotten'),
  }),
  output: WRITTEN_OUTPUT,
  example: ({ forgottenId }) => ({ id: forgottenId }),
  async run({ id: memoryId, version }, session) {
    const { result } = await session.ask(RESTORE, {
      id: memoryId,
      version,
      idempotencyKey: session.newKey(undefined),
    })
    return writtenAnswer('restored', [result], { receipts: session.receipts, titled: true })
  },
})

const RESOLVE = mutations.resolveTodo('sequence duplicate memory { ...WrittenMemory }', [WRITTEN])

/** Mark todos as done. */
export const resolveTodo = tool({
  name: 'resolve_todo',
  toolset: 'core',
  title: 'Resolve todos',
  description:
    'Marks todos as done now. Open ones: the resource daybook://todos/open, or search with kinds ["todo"].',
  effect: 'changes',
  idempotent: true,
  input: z.object({ ids: z.array(id).min(1).max(50) }),
  output: WRITTEN_OUTPUT,
  example: ({ todoId }) => ({ ids: [todoId] }),
  run: ({ ids }, session) =>
    writeEach('resolved', ids, session, async (one) => (await session.ask(RESOLVE, one)).result),
})

const UNDO = mutations.undo(
  `
  changed refused sequence
  changes(first: 100) { memoryId title action fromVersion toVersion }
  refusals(first: 100) { memoryId title reason }
  operation { ...McpOperation }`,
  [OPERATION],
)

const { kinds, context, labelsAny, agent } = FILTER

/** Take back what was written since a moment. */
export const undo = tool({
  name: 'undo',
  toolset: 'core',
  title: 'Undo changes since a moment',
  description:
    'Takes back what was written since a moment, by one agent or in one context. Only says what it would do unless dryRun is false: show that to the user first.',
  effect: 'changes',
  input: z.object({
    since: moment.describe('date, time or how long ago'),
    writtenBy: z.string().optional().describe('only what this agent wrote'),
    agent,
    context,
    kinds,
    labelsAny,
    dryRun: z.boolean().default(true),
  }),
  output: z.looseObject({ dryRun: z.boolean(), changed: z.int(), refused: z.int() }),
  example: ({ since }) => ({ since, context: 'shop' }),
  async run({ since, writtenBy, dryRun, ...given }, session) {
    const { result } = await session.ask(UNDO, {
      since,
      filter: filterOf(given),
      writer: writtenBy === undefined ? undefined : { agent: writtenBy },
      dryRun,
    })
    const { changed, refused, changes, refusals, operation } = succeeded(result)
    const ended = operation === null ? null : await waitForOperation(operation, session)
    const shown = changes.map(({ memoryId, title, action, toVersion }) => ({
      id: memoryId,
      title: title ?? '',
      action: action.toLowerCase(),
      ...(toVersion !== null && { toVersion }),
    }))
    const lines = [
      ...shown.map(
        (one) =>
          `  ${one.action}${one.toVersion === undefined ? '' : ` to version ${one.toVersion}`}: ${one.id} ${safeLine(one.title)}`,
      ),
      ...refusals.map(
        ({ memoryId, title, reason }) => `  stays: ${memoryId} ${safeLine(title ?? '')} (${reason})`,
      ),
    ]
    const head =
      ended === null
        ? `Nothing is changed yet. ${changed} memories would change, ${refused} would stay.${changed > 0 ? ' To do it: the same with dryRun false.' : ''}`
        : `${changed} memories change, ${refused} stay. ${operationLine(ended)}`
    return {
      data: {
        dryRun,
        changed,
        refused,
        changes: shown,
        ...(ended !== null && { operation: { id: ended.id, status: ended.status } }),
      },
      text: [head, ...lines].join('\n'),
      quotes: lines.length > 0,
      failed: ended?.status === 'FAILED',
    }
  },
})
