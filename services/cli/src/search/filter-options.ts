import type { InputOf } from '@daybook/api/graphql'
import { type Command, Option } from 'commander'
import { collect, wholeNumber } from '../command.ts'

type MemoryFilter = InputOf<'MemoryFilter'>

/** The options that narrow a search, by the filter's name in the API. A new one is an entry here. */
const OPTIONS: { readonly [Name in keyof MemoryFilter]?: Option } = {
  kinds: new Option('--kind <kind>', 'only this kind; may be repeated').argParser(collect),
  labelsAll: new Option('--label <label>', 'only with this label; repeated: with all of them').argParser(
    collect,
  ),
  context: new Option('--context <name>', 'only in this namespace'),
  minImportance: new Option('--min-importance <0-10>', 'only what matters this much').argParser(
    wholeNumber(),
  ),
  includeForgotten: new Option('--include-forgotten', 'also what was forgotten'),
}

/** Adds the options that narrow a search. */
export function addFilterOptions(command: Command): Command {
  for (const option of Object.values(OPTIONS)) command.addOption(option)
  return command
}

/** The filter from the options that a command was given. @throws UsageError for an unknown kind */
export async function filterFrom(command: Command): Promise<MemoryFilter> {
  const options = command.opts<Readonly<Record<string, unknown>>>()
  const given = Object.entries(OPTIONS).flatMap(([name, option]) => {
    const value = options[option.attributeName()]
    return value === undefined ? [] : [[name, value] as const]
  })
  const { kinds, ...others } = Object.fromEntries(given) as { readonly kinds?: readonly string[] }
  if (kinds === undefined) return others
  // Loaded late, because the kinds bring their checks with them.
  const { toApiKinds } = await import('../kinds.ts')
  return { ...others, kinds: toApiKinds(kinds) }
}
