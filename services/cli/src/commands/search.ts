import type { InputOf } from '@daybook/api/graphql'
import { type Command, Option } from 'commander'
import { NO_CONTENT } from '../client/memory.ts'
import { request } from '../client/request.ts'
import { addExamples, addNotes, invocation, share, wholeNumber } from '../command.ts'
import { painterFor } from '../output/paint.ts'
import { note, print, printJson } from '../output/print.ts'
import { safeText } from '../output/safe-text.ts'
import { renderHit } from '../output/search-hit.ts'
import { addFilterOptions, filterFrom } from '../search/filter-options.ts'
import { searchDocument } from '../search/search-document.ts'

/** Adds the arguments, options and action of `daybook search`. */
export function configure(command: Command): void {
  command
    .argument('<query...>', 'words, "a phrase", -without, OR')
    .option('--limit <n>', 'at most so many, up to 100 (default 10)', wholeNumber(1))
    .option('--min-score <score>', 'leave out hits with a lower score, from 0 to 1', share)
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
    .option('--explain', 'say for each hit why it scores what it scores')
    .action((query: string[], options: SearchOptions, self: Command) =>
      search(query.join(' '), options, self),
    )
  addExamples(command, [
    'daybook search "token security"',
    'daybook search deploy --kind decision --kind learning --limit 3',
    `daybook search '"connection refused" -docker' --mode keyword`,
    'daybook search -- -5 degrees',
  ])
  addNotes(
    command,
    'With --json what a memory says stands there once, in memory.content; `daybook get` has its text as one.',
  )
}

interface SearchOptions {
  readonly limit?: number
  readonly minScore?: number
  readonly mode?: string
  readonly atLeast?: number
  readonly explain?: boolean
}

async function search(query: string, options: SearchOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const content = json ? await import('../client/memory-content.ts') : null
  const document = searchDocument(content?.memoryContent() ?? NO_CONTENT)
  const { search: result } = await request(connection, document, {
    query,
    filter: await filterFrom(command),
    mode: options.mode?.toUpperCase() as InputOf<'SearchMode'> | undefined,
    limit: options.limit,
    minScore: options.minScore,
    atLeast: options.atLeast,
    explain: options.explain === true,
  })
  for (const missing of result.degraded) note(`Note: ${safeText(missing)}`)
  if (result.message !== null) note(safeText(result.message))
  if (content !== null) {
    const { compactHit } = await import('../output/compact-hit.ts')
    const hits = result.hits.map((hit) => compactHit({ ...hit, memory: content.withContent(hit.memory) }))
    return printJson({ ...result, hits })
  }
  if (result.hits.length === 0 && result.message === null) note('Nothing was found.')
  const paint = painterFor(process.stdout)
  const now = Date.now()
  const rendered = result.hits.map((hit, index) => renderHit(index + 1, hit, paint, now))
  if (rendered.length > 0) print(rendered.join('\n\n'))
}
