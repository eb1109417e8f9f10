import { enumValue, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import {
  SETTLEMENTS,
  type Settlement,
  SUSPICION_HEADINGS,
  SUSPICIONS,
  type Suspicion,
} from '@daybook/memory/settle'
import { type Command, Option } from 'commander'
import { ID_HELP, memoryId } from '../client/memory-id.ts'
import { request, succeeded } from '../client/request.ts'
import { addExamples, addGlobalOptions, addNotes, invocation, wholeNumber } from '../command.ts'
import { counted, note, type Painter, painterFor, print, printJson, shorten } from '../output/print.ts'
import { showProgress } from '../progress/show-progress.ts'
import { addFilterOptions, filterFrom } from '../search/find-memories.ts'

/** Adds the subcommands of `daybook review`. */
export function configureReview(command: Command): void {
  addFilterOptions(
    command
      .command('list', { isDefault: true })
      .description('pairs of memories that somebody should look at'),
  )
    .addOption(new Option('--suspicion <kind>', 'only pairs that seem so').choices(Object.keys(SUSPICIONS)))
    .option('--limit <n>', 'at most so many, up to 100 (default 20)', wholeNumber(1, 100))
    .option('--after <cursor>', 'go on after the page that ended with this cursor')
    .action((options: ListOptions, self: Command) => list(options, self))
  command
    .command('settle')
    .description('decide about two memories; undo takes it back')
    .argument('<older>', `the memory that gives way: ${ID_HELP}`)
    .argument('<newer>', 'the memory that stays, likewise')
    .addOption(
      new Option('--as <what>', 'what becomes of them')
        .choices(Object.keys(SETTLEMENTS))
        .makeOptionMandatory(),
    )
    .action((older: string, newer: string, options: { as: Settlement }, self: Command) =>
      settle({ older, newer, as: options.as }, self),
    )
  for (const one of command.commands) addGlobalOptions(one)
  const [older, newer] = ['8a3e-7c11-9d2b-3f0e5a6b7c8d', '9b4f-7d22-8e3c-4f1e6b7c8d9e'].map(
    (rest) => `note:0192f0c1-${rest}`,
  )
  addExamples(command, [
    'daybook review',
    'daybook review --suspicion contradicts --context shop --json',
    `daybook review settle ${older} ${newer} --as supersede`,
    `daybook review settle ${older} ${newer} --as keep-both`,
  ])
  const ways = Object.entries(SETTLEMENTS).map(([name, meaning]) => `  ${name.padEnd(10)} ${meaning}`)
  addNotes(
    command,
    `
Pairs are suspected by the words that differ: a number, a name, a negation, the choice made. Some are wrong, so nothing
follows from it until somebody settles them. --kind and the other filters select the memory that was written later.
${ways.join('\n')}
If the older one is right, give the two the other way round.`,
  )
}

interface ListOptions {
  readonly suspicion?: Suspicion
  readonly limit?: number
  readonly after?: string
}

const LIST = queries.suspected(`
  edges { node {
    kind similarity differences { older newer }
    older { id title text createdAt occurredAt } newer { id title text createdAt occurredAt }
  } }
  pageInfo { hasNextPage endCursor }`)

type Pair = ResultOf<typeof LIST>['suspected']['edges'][number]['node']

/** Pages that are read while nothing is found, so that the command ends in any project: 5,000 memories, in some 20 s. */
const EMPTY_PAGES = 25

/** What ends sooner needs no lines of progress. Milliseconds. */
const QUIET_MS = 3_000

async function list({ suspicion, limit, after }: ListOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const asked = {
    kind: suspicion && enumValue(suspicion),
    filter: await filterFrom(command),
    first: limit,
  }
  const page = async (cursor: string | undefined) =>
    (await request(connection, LIST, { ...asked, after: cursor })).suspected
  const progress = await showProgress({ quietMs: QUIET_MS })
  let suspected: Awaited<ReturnType<typeof page>>
  try {
    suspected = await page(after)
    for (let pages = 1; pages < EMPTY_PAGES; pages++) {
      const { endCursor, hasNextPage } = suspected.pageInfo
      if (suspected.edges.length > 0 || !hasNextPage) break
      progress.update({ work: 'review', phase: 'comparing memories', done: pages, total: EMPTY_PAGES })
      suspected = await page(endCursor ?? undefined)
    }
  } finally {
    progress.stop()
  }
  const { hasNextPage, endCursor } = suspected.pageInfo
  const pairs = suspected.edges.map(({ node }) => node)
  const next = hasNextPage ? (endCursor ?? null) : null
  return json ? printJson({ pairs, next }) : show(pairs, next)
}

function show(pairs: readonly Pair[], next: string | null): void {
  const paint = painterFor(process.stdout)
  if (pairs.length === 0)
    note(next === null ? 'Nothing is suspected.' : 'Nothing is suspected among the newest memories.')
  else {
    print(pairs.map((pair, at) => lines(at + 1, pair, paint).join('\n')).join('\n\n'))
    note(`\nTo settle one:  daybook review settle <older> <newer> --as ${Object.keys(SETTLEMENTS).join('|')}`)
  }
  if (next !== null) note(`There may be more:  --after ${next}`)
}

/** Columns of a text. */
const TEXT = 100

function lines(number: number, { kind, older, newer, differences }: Pair, paint: Painter): string[] {
  const head = `${number}. ${paint.bold(SUSPICION_HEADINGS[kind.toLowerCase() as Suspicion])}`
  const differ = differences.map((one) => `${quoted(one.older)} ${paint.dim('→')} ${quoted(one.newer)}`)
  const memory = (name: string, one: Pair['older']) => [
    `   ${name}  ${(one.occurredAt ?? one.createdAt).slice(0, 10)}  ${shorten(safeLine(one.text), TEXT)}`,
    `          ${paint.dim(safeLine(one.id))}`,
  ]
  return [
    head,
    ...memory('older', older),
    ...memory('newer', newer),
    ...(differ.length === 0 ? [] : [`   differ: ${differ.join(', ')}`]),
  ]
}

const quoted = (words: string): string => (words === '' ? '(nothing)' : `"${shorten(safeLine(words), TEXT)}"`)

const SETTLE = mutations.settle(
  'events sequence since correlationId older { id title version forgottenAt } newer { id title version }',
)

/** What was done, in words. */
const DONE: Readonly<Record<Settlement, string>> = {
  supersede: 'The newer memory supersedes the older one.',
  'keep-both': 'Both stay, and are not suspected again.',
  merge:
    'The newer memory has taken over what the older one had beside its text; the older one is forgotten.',
  forget: 'The older memory is forgotten.',
}

async function settle(
  { as, ...given }: { readonly older: string; readonly newer: string; readonly as: Settlement },
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const older = await memoryId(connection, given.older, { takesNumbers: false })
  const newer = await memoryId(connection, given.newer, { takesNumbers: false })
  const settled = succeeded((await request(connection, SETTLE, { older, newer, as: enumValue(as) })).result)
  if (json) return printJson(settled)
  const { events, since, correlationId } = settled
  if (since === null) return print(`${DONE[as]} It was so already.`)
  print(DONE[as])
  print(`older: ${safeLine(settled.older.id)}  ${safeLine(settled.older.title)}`)
  print(`newer: ${safeLine(settled.newer.id)}  ${safeLine(settled.newer.title)}`)
  print(
    `Undo (${counted(events, 'event')}):  daybook undo --since ${since} --correlation-id ${safeLine(correlationId)}`,
  )
}
