import { graphql } from '@daybook/api/graphql'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { request } from '../client/request.ts'
import { addExamples, addNotes, invocation } from '../command.ts'
import { print, printJson } from '../output/print.ts'
import { table } from '../output/table.ts'
import { addFilterOptions, filterFrom } from '../search/filter-options.ts'

const GROWTH = graphql(`query Growth($filter: MemoryFilter, $timeZone: String) {
  growth(filter: $filter, timeZone: $timeZone) {
    unit starts memories remembered events kinds { value counts } contexts { value counts }
  }
}`)

/** Adds the options and action of `daybook growth`. */
export function configure(command: Command): void {
  command.option(
    '--time-zone <name>',
    'whose days are counted, such as Europe/Berlin (default: of this machine)',
  )
  addFilterOptions(command).action((options: GrowthOptions, self: Command) => growth(options, self))
  addExamples(command, [
    'daybook growth',
    'daybook growth --context shop --kind decision',
    'daybook growth --json',
  ])
  addNotes(
    command,
    `
Days, weeks, months or years, whichever of them are at most 400. A time without anything is left out here, but not in --json.`,
  )
}

interface GrowthOptions {
  readonly timeZone?: string
}

async function growth({ timeZone }: GrowthOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const filter = await filterFrom(command)
  const { growth: counted } = await request(connection, GROWTH, {
    filter,
    timeZone: timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  if (json) return printJson(counted)
  const { unit, starts, memories, remembered, events, kinds } = counted
  const names = kinds.map(({ value }) => (value === null ? 'others' : safeLine(value.toLowerCase())))
  const rows = starts.flatMap((start, at) =>
    (remembered[at] ?? 0) + (events[at] ?? 0) === 0
      ? []
      : [[start, remembered[at] ?? 0, events[at] ?? 0, ...kinds.map(({ counts }) => counts[at] ?? 0)]],
  )
  const total = `${memories} ${memories === 1 ? 'memory' : 'memories'}`
  if (rows.length === 0) return print(total)
  print([total, table([unit.toLowerCase(), 'memories', 'events', ...names], rows)].join('\n\n'))
}
