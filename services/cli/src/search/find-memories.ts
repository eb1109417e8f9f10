import { type GraphQLDocument, type InputOf, type ReadonlyInput, type ResultOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { NO_CONTENT } from '@daybook/client/documents/memory'
import type * as MemoryContent from '@daybook/client/documents/memory-content'
import { safeText } from '@daybook/memory/safe-text'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { keepList } from '../client/memory-id.ts'
import { request } from '../client/request.ts'
import { collect, invocation, sinceMoment, wholeNumber } from '../command.ts'
import { UsageError } from '../command-line.ts'
import { note, painterFor, print, printJson } from '../output/print.ts'
import { foundFragment, renderHit, type searchDocument } from '../output/search-hit.ts'
import type { Connection } from '../settings.ts'

/** Searches for a person or an emotion, and prints what was found. */
export async function findMemories(
  what: 'person' | 'emotion',
  wanted: string,
  limit: number | undefined,
  command: Command,
): Promise<void> {
  const given = { limit, filter: await filterFrom(command) }
  await (what === 'person'
    ? findAndShow((found) => queries.searchByPerson('...Found', [found]), { ...given, name: wanted }, command)
    : findAndShow(
        (found) => queries.searchByEmotion('...Found', [found]),
        { ...given, emotion: wanted },
        command,
      ))
}

/** Looks a key up exactly, else searches, and prints what was found. */
export const findByKey = (
  what: 'recall' | 'pop',
  key: string,
  limit: number | undefined,
  command: Command,
): Promise<void> =>
  what === 'recall'
    ? findAndShow((found) => queries.recall('...Found', [found]), { key, limit }, command)
    : findAndShow((found) => queries.pop('...Found', [found]), { name: key, limit }, command)

type Found = ReturnType<typeof foundFragment>

async function findAndShow<Variables>(
  document: (found: Found) => GraphQLDocument<Readonly<Record<string, ResultOf<Found>>>, Variables>,
  variables: ReadonlyInput<Variables>,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const content = json ? await import('@daybook/client/documents/memory-content') : null
  const asked = document(foundFragment(content?.memoryContent() ?? NO_CONTENT))
  const [found] = Object.values(await request(connection, asked, variables))
  await showFound(connection, found as ResultOf<Found>, content)
}

type SearchOutcome = ResultOf<ReturnType<typeof searchDocument>>['search'] | ResultOf<Found>

/**
 * Prints what a search found: hits, whose numbers stand for their ids from then on, or JSON alone; what is missing on standard error.
 * @param content the module that puts a kind's fields together, if JSON is wanted
 * @param withVersion whether hits say their version
 */
export async function showFound(
  connection: Connection,
  result: SearchOutcome,
  content: typeof MemoryContent | null,
  withVersion = false,
): Promise<void> {
  for (const missing of result.degraded) note(`Note: ${safeText(missing)}`)
  if (result.message !== null) note(safeText(result.message))
  if (content !== null) {
    const { compactHit } = await import('../output/memory.ts')
    const hits = result.hits.map((hit) => compactHit({ ...hit, memory: content.withContent(hit.memory) }))
    return printJson({ ...result, hits })
  }
  keepList(
    connection,
    result.hits.map(({ memory }) => memory),
  )
  if (result.hits.length === 0 && result.message === null) note('Nothing was found.')
  const paint = painterFor(process.stdout)
  const now = Date.now()
  const rendered = result.hits.map((hit, index) => renderHit(index + 1, hit, paint, now, withVersion))
  if (rendered.length > 0) print(rendered.join('\n\n'))
}

type MemoryFilter = InputOf<'MemoryFilter'>

function trustLevel(value: string): 'LOW' | 'NORMAL' | 'HIGH' {
  const level = value.toUpperCase()
  if (level !== 'LOW' && level !== 'NORMAL' && level !== 'HIGH')
    throw new InvalidArgumentError('It may be low, normal or high.')
  return level
}

/** The options that narrow a search, by the filter's name in the API. A new one is an entry here. */
const OPTIONS = {
  kinds: new Option('--kind <kind>', 'only this kind; may be repeated').argParser(collect),
  labelsAll: new Option('--label <label>', 'only with this label; repeated: with all of them').argParser(
    collect,
  ),
  labelsAny: new Option('--any-label <label>', 'only with this label; repeated: with at least one').argParser(
    collect,
  ),
  categories: new Option(
    '--category <category>',
    'only of this category; repeated: of at least one',
  ).argParser(collect),
  agent: new Option('--agent <name>', 'only by this agent'),
  createdAfter: new Option('--created-after <time>', 'only written then or later').argParser(sinceMoment),
  createdBefore: new Option('--created-before <time>', 'only written before').argParser(sinceMoment),
  occurredAfter: new Option('--occurred-after <time>', 'only what happened then or later').argParser(
    sinceMoment,
  ),
  occurredBefore: new Option('--occurred-before <time>', 'only what happened before').argParser(sinceMoment),
  context: new Option('--context <name>', 'only in this namespace'),
  minImportance: new Option('--min-importance <0-10>', 'only what matters this much').argParser(
    wholeNumber(),
  ),
  minTrust: new Option(
    '--min-trust <level>',
    'only what was written with keys that are trusted this much',
  ).argParser(trustLevel),
  includeForgotten: new Option('--include-forgotten', 'also what was forgotten'),
} satisfies Record<keyof MemoryFilter, Option>

/** Adds the options that narrow a search. */
export function addFilterOptions(command: Command): Command {
  for (const option of Object.values(OPTIONS)) command.addOption(option)
  return command.addOption(
    new Option('--here', 'only in the namespace of this folder, as `remember` finds it').conflicts('context'),
  )
}

async function contextHere(): Promise<string> {
  const { detectContext } = await import('@daybook/runtime/detect-context')
  const context = await detectContext({ folder: process.cwd(), environment: process.env })
  if (context === null)
    throw new UsageError('This folder is no namespace', ['Name one with --context <name>'])
  return context
}

/** The filter from the options that a command was given. @throws UsageError for an unknown kind, or where `--here` is none */
export async function filterFrom(command: Command): Promise<MemoryFilter> {
  const options = command.opts<Readonly<Record<string, unknown>>>()
  const given = Object.entries(OPTIONS).flatMap(([name, option]) => {
    const value = options[option.attributeName()]
    return value === undefined ? [] : [[name, value] as const]
  })
  const { kinds, ...named } = Object.fromEntries(given) as { readonly kinds?: readonly string[] }
  const others = options['here'] === true ? { ...named, context: await contextHere() } : named
  if (kinds === undefined) return others
  // Loaded late, because the kinds bring their checks with them.
  const { toApiKinds } = await import('../command-line.ts')
  return { ...others, kinds: toApiKinds(kinds) }
}

type Weights = InputOf<'RankingWeights'>

/** The weights by their names in the API, and what each may be at most. */
const MOST: Readonly<Record<keyof Weights, number>> = {
  decay: 10,
  importance: 10,
  recency: 10,
  lexical: 1,
  vector: 1,
  neighbour: 1,
  session: 1,
}

const isName = (name: string): name is keyof Weights => Object.hasOwn(MOST, name)

/** An option parser for `decay=1`; it may be given several times. */
export function weight(value: string, others: Weights = {}): Weights {
  const [name = '', number = ''] = value.split('=')
  if (!isName(name) || number.trim() === '')
    throw new InvalidArgumentError(
      `It must be a name and a number, such as decay=1. Names: ${Object.keys(MOST).join(', ')}.`,
    )
  if (!(Number(number) >= 0 && Number(number) <= MOST[name]))
    throw new InvalidArgumentError(`The weight ${name} must be a number from 0 to ${MOST[name]}.`)
  return { ...others, [name]: Number(number) }
}
