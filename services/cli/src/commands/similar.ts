import { graphql } from '@daybook/api/graphql'
import { NO_CONTENT } from '@daybook/client/documents/memory'
import { type Command, InvalidArgumentError } from 'commander'
import { UsageError } from '../cli-error.ts'
import { request } from '../client/request.ts'
import { addExamples, invocation, wholeNumber } from '../command.ts'
import { addFilterOptions, filterFrom } from '../search/filter-options.ts'
import { foundFragment } from '../search/search-document.ts'
import { showFound } from '../search/show-found.ts'

/** Adds the arguments, options and action of `daybook similar`. */
export function configure(command: Command): void {
  command
    .argument('[text...]', 'a text; or else --id or --vector')
    .option('--id <id>', 'a memory, which is not similar to itself')
    .option('--vector <json>', "a vector of the index's model, as a JSON list of numbers", numbers)
    .option('--top-k <n>', 'at most so many, up to 100 (default 5)', wholeNumber(1))
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

const similarDocument = (content: typeof NO_CONTENT) =>
  graphql(
    `query Similar($text: String, $id: ID, $vector: [Float!], $topK: Int, $filter: MemoryFilter) {
      similar(text: $text, id: $id, vector: $vector, topK: $topK, filter: $filter) { ...Found }
    }`,
    [foundFragment(content)],
  )

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
      id,
      vector,
      topK,
      filter: await filterFrom(command),
    },
  )
  await showFound(result, content)
}
