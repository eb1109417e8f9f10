import * as queries from '@daybook/api/queries'
import type { FacetName } from '@daybook/memory/facets'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { request } from '../client/request.ts'
import { addExamples, addNotes, invocation, sinceMoment, wholeNumber } from '../command.ts'
import { print, printJson } from '../output/print.ts'
import { table } from '../output/table.ts'
import { addFilterOptions, filterFrom } from '../search/find-memories.ts'

const FACETS = queries.facets(`
  memories
  labels { value count } kinds { value count } categories { value count } entityTypes { value count }
  agents { value count } contexts { value count } others { facet values count }`)

/** What people read, by the name in the API. */
const HEADINGS = {
  kinds: 'kind',
  labels: 'label',
  categories: 'category',
  entityTypes: 'entity type',
  agents: 'agent',
  contexts: 'context',
} satisfies Record<FacetName, string>

/** Adds the options and action of `daybook facets`. */
export function configureFacets(command: Command): void {
  command
    .option('--values <n>', 'at most so many values of each, up to 1,000 (default 50)', wholeNumber(1))
    .option('--as-of <time>', 'what was true at this date or time', sinceMoment)
  addFilterOptions(command).action((options: FacetsOptions, self: Command) => facets(options, self))
  addExamples(command, [
    'daybook facets',
    'daybook facets --context shop --kind decision',
    'daybook facets --json',
  ])
}

interface FacetsOptions {
  readonly values?: number
  readonly asOf?: string
}

async function facets({ values, asOf }: FacetsOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const filter = await filterFrom(command)
  const { facets: counted } = await request(connection, FACETS, { filter, values, asOf })
  if (json) return printJson(counted)
  const tables = Object.entries(HEADINGS).flatMap(([name, heading]) => {
    const counts = counted[name as keyof typeof HEADINGS]
    if (counts.length === 0) return []
    const others = counted.others.find(({ facet }) => facet === name)
    const rows = counts.map(({ value, count }) => [
      name === 'kinds' ? value.toLowerCase() : safeLine(value),
      count,
    ])
    if (others !== undefined) rows.push([`(${others.values} others)`, others.count])
    return [table([heading, 'memories'], rows)]
  })
  print([`${counted.memories} ${counted.memories === 1 ? 'memory' : 'memories'}`, ...tables].join('\n\n'))
}

const GROWTH = queries.growth(
  'unit starts memories remembered events kinds { value counts } contexts { value counts }',
)

/** Adds the options and action of `daybook growth`. */
export function configureGrowth(command: Command): void {
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
