import type { InputOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { safeText } from '@daybook/memory/safe-text'
import { type Command, Option } from 'commander'
import { request } from '../client/request.ts'
import { addExamples, addNotes, invocation, share, wholeNumber } from '../command.ts'
import { note, printJson, printRaw } from '../output/print.ts'
import { addFilterOptions, filterFrom } from '../search/find-memories.ts'

const CONTEXT = queries.contextFor(`
  text tokens tokenBudget countedBy engine degraded message sequence
  entries { number role score tokens whole memory { id title } }
  leftOut { reason score memory { id title } }`)

/** Adds the arguments, options and action of `daybook context`. */
export function configureContext(command: Command): void {
  command
    .argument('<query...>', 'words, "a phrase", -without, OR')
    .option('--tokens <n>', 'the most tokens (default 2,000)', wholeNumber(1))
    .option('--min-score <score>', 'leave out hits with a lower score, from 0 to 1', share)
    .addOption(
      new Option('--order <order>', 'the best first, or the oldest first (default score)').choices([
        'score',
        'time',
      ]),
    )
  addFilterOptions(command).action((query: string[], options: ContextOptions, self: Command) =>
    context(query.join(' '), options, self),
  )
  addExamples(command, [
    'daybook context "how do we deploy?"',
    'daybook context "what did Ada say of bees" --tokens 500 --order time',
  ])
  addNotes(
    command,
    'Standard output is the text for the prompt: numbered entries with their ids, whose lines are set in. What was left out is told on standard error.',
  )
}

interface ContextOptions {
  readonly tokens?: number
  readonly minScore?: number
  readonly order?: string
}

async function context(query: string, options: ContextOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { contextFor } = await request(connection, CONTEXT, {
    query,
    tokenBudget: options.tokens,
    filter: await filterFrom(command),
    order: options.order?.toUpperCase() as InputOf<'ContextOrder'> | undefined,
    minScore: options.minScore,
  })
  const { text, tokens, tokenBudget, countedBy, degraded, message, entries, leftOut } = contextFor
  for (const missing of degraded) note(`Note: ${safeText(missing)}`)
  if (message !== null) note(safeText(message))
  if (json) return printJson(contextFor)
  // Not wrapped: it is for a program.
  if (text !== '') printRaw(safeText(text))
  const without = { BUDGET: 'no room', REPEATED: 'repeated' } as const
  const said = Object.entries(without).flatMap(([reason, words]) => {
    const left = leftOut.filter((one) => one.reason === reason).length
    return left === 0 ? [] : [`${left} ${words}`]
  })
  const left = said.length === 0 ? '' : `, left out: ${said.join(', ')}`
  const counted = countedBy === null ? 'estimated' : 'counted'
  note(
    `${tokens} of ${tokenBudget} tokens (${counted}), ${entries.length} ${entries.length === 1 ? 'memory' : 'memories'}${left}`,
  )
}
