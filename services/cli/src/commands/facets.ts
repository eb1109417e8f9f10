import { graphql } from '@daybook/api/graphql'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { request } from '../client/request.ts'
import { addExamples, invocation, moment, wholeNumber } from '../command.ts'
import { print, printJson } from '../output/print.ts'
import { table } from '../output/table.ts'
import { addFilterOptions, filterFrom } from '../search/filter-options.ts'

const FACETS = graphql(`query Facets($filter: MemoryFilter, $values: Int, $asOf: DateTime) {
  facets(filter: $filter, values: $values, asOf: $asOf) {
    memories
    labels { value count } kinds { value count } categories { value count } entityTypes { value count }
    agents { value count } contexts { value count } others { facet values count }
  }
}`)

/** What people read, by the name in the API. */
const HEADINGS = {
  kinds: 'kind',
  labels: 'label',
  categories: 'category',
  entityTypes: 'entity type',
  agents: 'agent',
  contexts: 'context',
} as const

/** Adds the options and action of `daybook facets`. */
export function configure(command: Command): void {
  command
    .option('--values <n>', 'at most so many values of each, up to 1,000 (default 50)', wholeNumber(1))
    .option('--as-of <time>', 'what was true at this date or time', moment)
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
