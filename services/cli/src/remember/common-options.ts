import type { InputOf } from '@daybook/api/graphql'
import type { CommonFieldName } from '@daybook/memory/common-fields'
import { jsonProblem, lossOf } from '@daybook/memory/json-problem'
import { type Command, Option } from 'commander'
import { collect, moment, wholeNumber } from '../command.ts'
import { UsageError } from '../command-line.ts'

/** A field of all memories as an option. */
interface CommonOption {
  /** `--label <label>` */
  readonly flags: string
  /** What the help of `daybook remember` says. */
  readonly remember: string
  /** What the help of `daybook revise` says; null if it is not an option there. */
  readonly revise: string | null
  /** Reads a value while the command line is read. Default: as it is. */
  parse?(value: string, before: unknown): unknown
  /** Makes of it what the API takes. Default: nothing else. */
  toInput?(value: string): unknown
}

/** The options of all kinds, by the fields that they fill. A new field is an entry here. */
const OPTIONS: { readonly [Name in CommonFieldName]: CommonOption } = {
  labels: {
    flags: '--label <label>',
    remember: 'A label. May be repeated.',
    revise: 'its labels from now on. May be repeated.',
    parse: collect,
  },
  categories: {
    flags: '--category <category>',
    remember: 'person, emotion, interest, event or any other. May be repeated.',
    revise: 'its categories from now on. May be repeated.',
    parse: collect,
  },
  importance: {
    flags: '--importance <0-10>',
    remember: 'How much it matters; 5 unless given.',
    revise: 'how much it matters',
    parse: wholeNumber(),
  },
  context: {
    flags: '--context <name>',
    remember:
      'A namespace, such as a repository or a conversation. Default: DAYBOOK_CONTEXT, else the name of the git repository, else of this folder.',
    revise: 'a namespace, such as a repository or a conversation',
  },
  agent: { flags: '--agent <name>', remember: 'Who remembers it.', revise: 'who remembers it' },
  metadata: {
    flags: '--metadata <json>',
    remember: 'Anything else, as a JSON object.',
    revise: 'its metadata from now on, as a JSON object',
    toInput: parseMetadata,
  },
  occurredAt: {
    flags: '--occurred-at <time>',
    remember: 'When it happened, where that differs from now.',
    revise: 'when it happened',
    parse: moment,
  },
  expiresAt: {
    flags: '--expires-at <time>',
    remember: 'From then on it is not found any more.',
    revise: 'from then on it is not found any more',
    parse: moment,
  },
  supersedes: {
    flags: '--supersedes <id>',
    remember: 'The memory that this one replaces. Searches rank it below this one.',
    revise: null,
  },
}

/** Adds the options of all kinds to `remember` or `revise`. */
export function addCommonOptions(command: Command, to: 'remember' | 'revise'): void {
  for (const [name, { flags, parse, [to]: text }] of Object.entries(OPTIONS)) {
    if (text === null) continue
    const option = new Option(flags, text)
    command.addOption(parse === undefined ? option : option.argParser(parse))
    if (name === 'context' && to === 'remember') command.option('--no-context', 'No namespace.')
  }
}

/** The common fields that were given, by their names in the API. @throws UsageError for metadata that is no JSON object */
export function commonFields(
  given: Readonly<Record<string, unknown>>,
): Partial<Omit<InputOf<'RememberInput'>, 'content' | 'idempotencyKey'>> {
  return Object.fromEntries(
    Object.entries(OPTIONS).flatMap(([name, { flags, toInput }]) => {
      const value = given[new Option(flags).attributeName()]
      if (value === undefined) return []
      return [[name, toInput === undefined ? value : toInput(value as string)]]
    }),
  )
}

/** The common fields that `revise --clear` empties, by the names of their options. A memory always has some importance. */
export const CLEARED: ReadonlyMap<string, string> = new Map(
  Object.entries(OPTIONS).flatMap(([name, { flags, revise }]) =>
    revise === null || name === 'importance' ? [] : [[new Option(flags).name(), name] as const],
  ),
)

/** Parses the value of `--metadata`. @throws UsageError unless it is a JSON object */
export function parseMetadata(json: string): InputOf<'JSON'> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new UsageError('--metadata is not JSON', [
      `An object is needed, such as --metadata '{"ticket": 42}'`,
    ])
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`--metadata must be a JSON object, such as '{"ticket": 42}'`)
  const loss = lossOf(json)
  if (loss !== null) throw new UsageError(`--metadata ${loss}`)
  const wrong = jsonProblem(value, '--metadata')
  if (wrong !== null) throw new UsageError(`${wrong.path} ${wrong.problem}`)
  return value as InputOf<'JSON'>
}
