import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { basename, join } from 'node:path'
import { REPOSITORY } from '../support/daemon.ts'
import { scriptOptions } from '../support/script-options.ts'
import { loadCollections } from './collections.ts'
import { type ContestResults, runContest } from './contest.ts'
import { CONTESTANTS } from './contestants.ts'
import { installPackages } from './packages.ts'
import { writePage } from './page/write-page.ts'
import type { Results } from './results.ts'
import { measureTransfer } from './transfer.ts'

/* `npm run contest`; `--help` lists the options. Linux only: processor time and memory are read from /proc. */

const options = scriptOptions(
  'npm run contest -- [options]',
  'Compares memory systems: what they find, how fast, what they take and what they lose. Writes one page and the raw results.',
  {
    quick: {
      default: false,
      description:
        '300 questions of a collection, 1,000 and 10,000 memories, 3 kills: on two quiet cores some 25 minutes',
    },
    peers: {
      default: '',
      description: `only these, in this order, separated by commas: ${CONTESTANTS.map(({ name }) => name).join(', ')}`,
    },
    sizes: {
      default: '',
      description:
        'memories at which searches are timed, separated by commas (default 1000,10000,100000; quick: 1000,10000)',
    },
    questions: { default: 0, description: 'the most questions of a collection (default all; quick: 300)' },
    kills: { default: 100, description: 'how often each is killed (quick: 3)' },
    transfer: { default: true, description: 'ranks each collection with weights fitted without it' },
    out: {
      default: '.eval/contest',
      description: 'the folder for contest.md, contest.html and contest.json',
    },
    from: {
      default: '',
      description: 'measures nothing, and writes the page again from these raw results',
    },
    docs: { default: false, description: 'copies the page to docs, too' },
  },
)

const progress = (line: string) => console.error(`  ${line}`)
const load = () => Math.round((loadavg()[0] ?? 0) * 10) / 10

/** Writes the page, also into docs where that is asked for. */
function publish(results: Results): void {
  const written = writePage(join(REPOSITORY, options.out), results)
  if (options.docs)
    for (const file of written.filter((one) => !one.endsWith('.json')))
      copyFileSync(file, join(REPOSITORY, 'docs', basename(file)))
  progress(`written: ${written.join(', ')}`)
}

// `exit` kills the peers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

try {
  if (options.from !== '') {
    publish(JSON.parse(readFileSync(options.from, 'utf8')) as Results)
    process.exit(0)
  }
  const { quick } = options
  const startedAt = Date.now()
  const loadBefore = load()
  const describe = ['describe', '--always', '--dirty', '--exclude=*']
  const commit = execFileSync('git', describe, { cwd: REPOSITORY, encoding: 'utf8' }).trim()
  installPackages(progress)
  const limit = options.questions || (quick ? 300 : Number.MAX_SAFE_INTEGER)
  const { collections, missing } = loadCollections(limit)
  for (const { name, path } of missing) progress(`${name} is left out: there is no ${path}`)
  const named = options.peers.split(',').filter(Boolean)
  const contestants =
    named.length === 0 ? CONTESTANTS : named.flatMap((one) => CONTESTANTS.filter(({ name }) => name === one))
  const sizes =
    options.sizes === ''
      ? quick
        ? [1_000, 10_000]
        : [1_000, 10_000, 100_000]
      : options.sizes.split(',').map(Number)
  const kills = quick && options.kills === 100 ? 3 : options.kills
  const transfer = options.transfer ? await measureTransfer(collections) : []
  // At first and after each peer, so that a run that is ended has a page, too.
  const measured = ({ peers, absent }: ContestResults) =>
    publish({
      version: 1,
      options: process.argv.slice(2),
      at: new Date(startedAt).toISOString(),
      minutes: Math.round((Date.now() - startedAt) / 6_000) / 10,
      commit,
      machine: {
        processor: cpus()[0]?.model ?? 'unknown',
        cores: cpus().length,
        memoryGb: Math.round(totalmem() / 2 ** 30),
        system: `Linux ${release()}`,
        node: process.versions.node,
        load: [loadBefore, load()],
      },
      collections: collections.map(({ name, groups }) => ({
        name,
        memories: groups.reduce((sum, { memories }) => sum + memories.length, 0),
        questions: groups.reduce((sum, { questions }) => sum + questions.length, 0),
        neverTold: groups.reduce((sum, { unanswerable = [] }) => sum + unanswerable.length, 0),
      })),
      peers,
      absent: [
        ...absent,
        ...missing.map(({ name, path }) => ({ name: `${name} (a collection)`, why: `there is no ${path}` })),
      ],
      transfer,
    })
  measured({ peers: [], absent: [] })
  await runContest({ collections, contestants, sizes, searches: 100, kills, report: progress, measured })
  process.exit(0)
} catch (error) {
  console.error(error)
  process.exit(1)
}
