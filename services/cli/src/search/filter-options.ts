import type { InputOf } from '@daybook/api/graphql'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../cli-error.ts'
import { collect, moment, wholeNumber } from '../command.ts'

type MemoryFilter = InputOf<'MemoryFilter'>

function trustLevel(value: string): 'LOW' | 'NORMAL' | 'HIGH' {
  const level = value.toUpperCase()
  if (level !== 'LOW' && level !== 'NORMAL' && level !== 'HIGH')
    throw new InvalidArgumentError('It may be low, normal or high.')
  return level
}

/** The options that narrow a search, by the filter's name in the API. A new one is an entry here. */
const OPTIONS: { readonly [Name in keyof MemoryFilter]?: Option } = {
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
  createdAfter: new Option('--created-after <time>', 'only written then or later').argParser(moment),
  createdBefore: new Option('--created-before <time>', 'only written before').argParser(moment),
  occurredAfter: new Option('--occurred-after <time>', 'only what happened then or later').argParser(moment),
  occurredBefore: new Option('--occurred-before <time>', 'only what happened before').argParser(moment),
  context: new Option('--context <name>', 'only in this namespace'),
  minImportance: new Option('--min-importance <0-10>', 'only what matters this much').argParser(
    wholeNumber(),
  ),
  minTrust: new Option(
    '--min-trust <level>',
    'only what was written with keys that are trusted this much',
  ).argParser(trustLevel),
  includeForgotten: new Option('--include-forgotten', 'also what was forgotten'),
}

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
  const { toApiKinds } = await import('../kinds.ts')
  return { ...others, kinds: toApiKinds(kinds) }
}
