import type { InputOf } from '@daybook/api/graphql'
import { NO_CONTENT } from '@daybook/client/documents/memory'
import { type Command, Option } from 'commander'
import { request } from '../client/request.ts'
import { addExamples, addNotes, commaSeparated, invocation, moment, share, wholeNumber } from '../command.ts'
import { addFilterOptions, filterFrom } from '../search/filter-options.ts'
import { searchDocument } from '../search/search-document.ts'
import { showFound } from '../search/show-found.ts'
import { weight } from '../search/weights.ts'

/** Adds the arguments, options and action of `daybook search`. */
export function configure(command: Command): void {
  command
    .argument('<query...>', 'words, "a phrase", -without (or NOT without), a AND b, OR, (…)')
    .option('--limit <n>', 'at most so many, up to 100 (default 10)', wholeNumber(1))
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
    .option('--as-of <time>', 'what was true at this date or time, with what was forgotten since', moment)
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
  await showFound(result, content, options.asOf !== undefined || options.acrossVersions === true)
}
