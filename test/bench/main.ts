import { parseArgs } from 'node:util'
import * as access from './access.ts'
import * as append from './append.ts'
import type { Bench } from './bench.ts'
import * as consoleSearch from './console-search.ts'
import * as embedLoopDelay from './embed-loop-delay.ts'
import * as embedding from './embedding.ts'
import * as facets from './facets.ts'
import * as filtered from './filtered.ts'
import * as findable from './findable.ts'
import * as footprint from './footprint.ts'
import * as lexical from './lexical.ts'
import * as mcp from './mcp.ts'
import * as past from './past.ts'
import * as projects from './projects.ts'
import * as quarantine from './quarantine.ts'
import * as rebuild from './rebuild.ts'
import * as relay from './relay.ts'
import * as rerank from './rerank.ts'
import * as room from './room.ts'
import * as search from './search.ts'
import * as security from './security.ts'
import * as sync from './sync.ts'
import * as twoProjectors from './two-projectors.ts'
import * as typesense from './typesense.ts'
import * as writes from './writes.ts'

/*
 * `npm run bench` lists the benches, `npm run bench -- append search --rounds 9` runs some, `npm run bench --
 * all` each.
 */

const BENCHES: readonly Bench[] = [
  append,
  writes,
  search,
  projects,
  mcp,
  past,
  filtered,
  quarantine,
  access,
  rerank,
  lexical,
  typesense,
  embedLoopDelay,
  embedding,
  relay,
  facets,
  findable,
  security,
  twoProjectors,
  rebuild,
  footprint,
  room,
  consoleSearch,
  sync,
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    large: { type: 'boolean', default: false },
    memories: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
const memories = values.memories === undefined ? undefined : Number(values.memories)
const unknown = positionals.filter((name) => name !== 'all' && !BENCHES.some((bench) => bench.name === name))

if (
  values.help ||
  unknown.length > 0 ||
  positionals.length === 0 ||
  (rounds !== undefined && !(rounds >= 1)) ||
  (memories !== undefined && !(memories >= 1))
) {
  if (unknown.length > 0) console.error(`There is no bench ${unknown.join(', ')}.`)
  console.log('npm run bench -- <name …, or all> [--rounds n] [--memories n] [--large]\n')
  const width = Math.max(...BENCHES.map((bench) => bench.name.length))
  for (const bench of BENCHES) console.log(`  ${bench.name.padEnd(width)}   ${bench.description}`)
  process.exit(values.help || positionals.length === 0 ? 0 : 2)
}

for (const bench of BENCHES) {
  if (!positionals.includes(bench.name) && !positionals.includes('all')) continue
  console.log(`\n${bench.name}: ${bench.description}\n`)
  await bench.run({ rounds, memories, large: values.large })
}
// The benches have closed their pools and workers. Handles that a library keeps open must not keep the
// process alive.
process.exit(0)
