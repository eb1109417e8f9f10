import type { InputOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { NO_CONTENT } from '@daybook/client/documents/memory'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { ID_OR_NUMBER_HELP, memoryId } from '../client/memory-id.ts'
import { request } from '../client/request.ts'
import {
  addExamples,
  addNotes,
  commaSeparated,
  invocation,
  share,
  sinceMoment,
  wholeNumber,
} from '../command.ts'
import { UsageError } from '../command-line.ts'
import { foundFragment, searchDocument } from '../output/search-hit.ts'
import { addFilterOptions, filterFrom, showFound, weight } from '../search/find-memories.ts'

/** Adds the arguments, options and action of `daybook search`. */
export function configureSearch(command: Command): void {
  command
    .argument('<query...>', 'words, "a phrase", -without (or NOT without), a AND b, OR, (…)')
    .option('--limit <n>', 'at most so many, up to 100 (default 10)', wholeNumber(1, 100))
    .option('--min-score <score>', 'leave out hits with a lower score, from 0 to 1', share)
    .option(
      '--weight <name=number>',
      'let decay, importance or recency count, from 0 (default) to 10; may be repeated',
      weight,
    )
    .option(
      '--projects <names or ids>',
      'search these projects, separated by commas; may be repeated',
      commaSeparated,
    )
    .option('--no-floor', 'show the nearest even if nothing seems to be about the query')
    .addOption(
      new Option('--mode <mode>', 'by words and meaning, by meaning, by words (default hybrid)').choices([
        'hybrid',
        'semantic',
        'keyword',
      ]),
    )
  addFilterOptions(command)
    .option(
      '--at-least <sequence>',
      'wait (5 s at most) until the index includes this sequence',
      wholeNumber(),
    )
    .option(
      '--as-of <time>',
      'what was true at this date or time, with what was forgotten since',
      sinceMoment,
    )
    .option('--across-versions', 'also the texts that were revised since; each hit says its version')
    .option('--explain', 'say for each hit why it scores what it scores')
    .action((query: string[], options: SearchOptions, self: Command) =>
      search(query.join(' '), options, self),
    )
  addExamples(command, [
    'daybook search "token security"',
    'daybook search deploy --kind decision --kind learning --limit 3',
    `daybook search '"connection refused" -docker' --mode keyword`,
    `daybook search 'deploy AND (staging OR production) NOT friday'`,
    'daybook search "deploy steps" --weight recency=1 --weight importance=0.5',
    'daybook search -- -5 degrees',
    'daybook search "launch date" --across-versions',
    'daybook search "launch date" --as-of 2026-11-21',
    'daybook search "rate limits" --projects shop,billing',
  ])
  addNotes(
    command,
    'With --json what a memory says stands there once, in memory.content; `daybook get` has its text as one.',
  )
}

interface SearchOptions {
  readonly limit?: number
  readonly minScore?: number
  readonly floor: boolean
  readonly projects?: readonly string[]
  readonly weight?: InputOf<'RankingWeights'>
  readonly mode?: string
  readonly atLeast?: number
  readonly asOf?: string
  readonly acrossVersions?: boolean
  readonly explain?: boolean
}

async function search(query: string, options: SearchOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const content = json ? await import('@daybook/client/documents/memory-content') : null
  const document = searchDocument(content?.memoryContent() ?? NO_CONTENT)
  const { search: result } = await request(connection, document, {
    query,
    filter: await filterFrom(command),
    mode: options.mode?.toUpperCase() as InputOf<'SearchMode'> | undefined,
    limit: options.limit,
    minScore: options.minScore,
    floor: options.floor,
    weights: options.weight,
    atLeast: options.atLeast,
    asOf: options.asOf,
    acrossVersions: options.acrossVersions,
    projects: options.projects,
    explain: options.explain === true,
    severalProjects: options.projects !== undefined,
  })
  await showFound(connection, result, content, options.asOf !== undefined || options.acrossVersions === true)
}

/** Adds the arguments, options and action of `daybook similar`. */
export function configureSimilar(command: Command): void {
  command
    .argument('[text...]', 'a text; or else --id or --vector')
    .option('--id <id>', `a memory, which is not similar to itself: ${ID_OR_NUMBER_HELP}`)
    .option('--vector <json>', "a vector of the index's model, as a JSON list of numbers", numbers)
    .option('--top-k <n>', 'at most so many, up to 100 (default 5)', wholeNumber(1, 100))
  addFilterOptions(command).action((words: string[], options: SimilarOptions, self: Command) =>
    similar(words.join(' '), options, self),
  )
  addExamples(command, [
    'daybook similar "Tokens must be checked for their expiry"',
    'daybook similar --id insight:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d --kind insight',
  ])
}

interface SimilarOptions {
  readonly id?: string
  readonly vector?: readonly number[]
  readonly topK?: number
}

function numbers(value: string): readonly number[] {
  try {
    const list: unknown = JSON.parse(value)
    if (Array.isArray(list) && list.every((one) => typeof one === 'number')) return list
  } catch {}
  throw new InvalidArgumentError('It must be a JSON list of numbers, such as [0.1, -0.2].')
}

const similarDocument = (content: typeof NO_CONTENT) => queries.similar('...Found', [foundFragment(content)])

async function similar(text: string, { id, vector, topK }: SimilarOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const given = [text !== '', id !== undefined, vector !== undefined].filter(Boolean).length
  if (given !== 1) throw new UsageError('Give exactly one of: a text, --id, --vector')
  const content = json ? await import('@daybook/client/documents/memory-content') : null
  const { similar: result } = await request(
    connection,
    similarDocument(content?.memoryContent() ?? NO_CONTENT),
    {
      text: text === '' ? undefined : text,
      id: id && (await memoryId(connection, id)),
      vector,
      topK,
      filter: await filterFrom(command),
    },
  )
  await showFound(connection, result, content)
}
