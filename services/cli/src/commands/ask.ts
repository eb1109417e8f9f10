import type { ResultOf } from '@daybook/api/graphql'
import * as subscriptions from '@daybook/api/subscriptions'
import { safeLine, safeText } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { subscribe } from '../client/subscribe.ts'
import { addExamples, addNotes, invocation, wholeNumber } from '../command.ts'
import { RefusedError } from '../command-line.ts'
import { note, print, printJson } from '../output/print.ts'
import { addFilterOptions, filterFrom } from '../search/find-memories.ts'

/** Adds the arguments, options and action of `daybook ask`. */
export function configureAsk(command: Command): void {
  command
    .argument('<question...>', 'what to answer from memories')
    .option('--code [language]', 'write code instead of an answer, and check it')
    .option(
      '--tokens <n>',
      'give the model memories of at most so many tokens (default 2000)',
      wholeNumber(1),
    )
  addFilterOptions(command).action((question: string[], options: AskOptions, self: Command) =>
    ask(question.join(' '), options, self),
  )
  addExamples(command, [
    'daybook ask "When did we move to Lisbon?"',
    'daybook ask --code SQL "count the customers who left in May" --context shop',
    'daybook ask "What did we decide about queues?" --json',
  ])
  addNotes(
    command,
    `
The answer comes as the model gives it, and then the memories that it cites. The daemon asks the model of
DAYBOOK_ASK_MODEL; without one, the command prints the memories for a prompt of your own and ends with exit code 1.`,
  )
}

interface AskOptions {
  readonly code?: string | true
  readonly tokens?: number
}

async function ask(question: string, { code, tokens }: AskOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  let context: AskEventOf<'AskContext'>['context'] | null = null
  let end: AskEventOf<'AskAnswer'> | AskEventOf<'AskFailed'> | null = null
  const onEvent = (event: AskEvent) => {
    if (event.__typename === 'AskContext') {
      context = event.context
      for (const missing of context.degraded) note(`Note: ${safeText(missing)}`)
    } else if (event.__typename === 'AskText') {
      // Of the check, only the verdict is shown.
      if (!json && event.step === 'GENERATE') process.stdout.write(safeText(event.text))
    } else {
      end = event
      ending.abort()
    }
  }
  await subscribe(
    connection,
    ASK,
    {
      question,
      pipeline: code === undefined ? 'RAG' : 'CODEGEN',
      language: typeof code === 'string' ? code : null,
      tokenBudget: tokens,
      filter: await filterFrom(command),
    },
    { onData: ({ ask: event }) => onEvent(event), onConnected: () => undefined, signal: ending.signal },
  )
  show(context, end, json)
}

function show(
  context: AskEventOf<'AskContext'>['context'] | null,
  end: AskEventOf<'AskAnswer'> | AskEventOf<'AskFailed'> | null,
  json: boolean,
): void {
  if (end === null) return
  if (end.__typename === 'AskFailed') {
    if (json) printJson({ context })
    else if (context !== null) print(context.text === '' ? (context.message ?? '') : safeText(context.text))
    throw new RefusedError(end.code, end.message)
  }
  const { __typename: _, ...answer } = end
  if (json) return printJson({ context, ...answer })
  print(`\n\n${renderSources(end)}`)
}

/** The subscription of `daybook ask`. */
const ASK = subscriptions.ask(`
  __typename
  ... on AskContext { context { text tokens message degraded } }
  ... on AskText { step text }
  ... on AskAnswer {
    text unknownCitations model inputTokens outputTokens
    check { passed text }
    citations { number memory { id title } }
  }
  ... on AskFailed { code message }`)

/** What the subscription sends. */
type AskEvent = ResultOf<typeof ASK>['ask']

/** One type of it. */
type AskEventOf<Type extends AskEvent['__typename']> = Extract<AskEvent, { __typename: Type }>

/** What stands below an answer: the memories that it cites, and what speaks against it. */
function renderSources({ citations, unknownCitations, check }: AskEventOf<'AskAnswer'>): string {
  const cited = citations.map(
    ({ number, memory }) => `  [${number}] ${safeLine(memory.title)}  ${safeLine(memory.id)}`,
  )
  return [
    ...(cited.length === 0 ? ['It cites no memory.'] : ['It rests on:', ...cited]),
    ...(unknownCitations.length === 0
      ? []
      : [`It cites what no memory has: ${unknownCitations.map((number) => `[${number}]`).join(' ')}`]),
    ...(check === null ? [] : [verdict(check)]),
  ].join('\n')
}

function verdict({ passed, text }: NonNullable<AskEventOf<'AskAnswer'>['check']>): string {
  if (passed === true) return 'Its check found nothing wrong. Run it before you trust it.'
  return `${passed === null ? 'Its check gave no verdict:' : 'Its check found:'}\n${safeText(text)}`
}
