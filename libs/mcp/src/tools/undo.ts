import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { safeLine } from '@daybook/memory/safe-text'
import { z } from 'zod'
import { succeeded } from '../failure.ts'
import { OPERATION, operationLine, waitForOperation } from '../operation.ts'
import { FILTER, filterOf } from './search-arguments.ts'
import { tool } from './tool.ts'

const UNDO = graphql(
  `mutation McpUndo($filter: MemoryFilter!, $since: DateTime!, $writer: WriterInput, $everything: Boolean, $dryRun: Boolean) {
    undo(filter: $filter, since: $since, writer: $writer, everything: $everything, dryRun: $dryRun) {
      __typename
      ... on Undo {
        changed refused sequence
        changes(first: 100) { memoryId title action fromVersion toVersion }
        refusals(first: 100) { memoryId title reason }
        operation { ...McpOperation }
      }
      ...Failure
    }
  }`,
  [OPERATION, FAILURE],
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
    since: z.string().describe('RFC 3339'),
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
    const { undo: result } = await session.ask(UNDO, {
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
        ({ id, title, action, toVersion }) =>
          `  ${action}${toVersion === undefined ? '' : ` to version ${toVersion}`}: ${id} ${safeLine(title)}`,
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
