import { execFileSync } from 'node:child_process'
import { REPOSITORY } from '../support/daemon.ts'
import { type Collection, limitQuestions, together } from './collection.ts'
import type { EvaluatedDaybook } from './daybook/evaluated-daybook.ts'
import { keptFolder } from './daybook/kept-folder.ts'
import { startOwnDaybook } from './daybook/own-daybook.ts'
import { runningDaybook } from './daybook/running-daybook.ts'
import { evaluate } from './evaluate.ts'
import { loadCollection } from './formats/load.ts'
import { belowGates } from './gates.ts'
import { usesVectors } from './method.ts'
import { HELP, type Options, readOptions, WrongOption } from './options.ts'
import { evaluatePeers } from './peers/evaluate-peers.ts'
import { openPeers } from './peers/open-peers.ts'
import { compare } from './report/compare.ts'
import { printComparison, printReport } from './report/print-report.ts'
import type { Report } from './report/report.ts'
import { readReport, writeReport } from './report/write-report.ts'
import { withUnanswerable } from './unanswerable.ts'

/*
 * `npm run eval -- test/src/eval/bundled`; `--help` lists the options. Exits with 1 if a gate is
 * missed, 2 for wrong options.
 */

const progress = (line: string) => process.stderr.write(`  ${line}\n`)

async function run(options: Options): Promise<number> {
  const earlier = options.compare === undefined ? null : readReport(options.compare)
  const loaded = loadCollection(options.data, options.split)
  if (options.jsonl) {
    for (const { memories } of loaded.groups)
      for (const { input } of memories) console.log(JSON.stringify(input))
    return 0
  }
  const limited = limitQuestions(loaded, options.limit ?? Number.POSITIVE_INFINITY)
  const asked = options.together ? together(limited) : limited
  const { unanswerable } = options
  const collection =
    unanswerable === undefined
      ? asked
      : withUnanswerable(asked, unanswerable === 'others' ? null : loadCollection(unanswerable))
  const report = await measure(options, collection)
  const comparisons = earlier === null ? [] : compare(earlier, report)
  if (options.json) console.log(JSON.stringify(report))
  else console.log(['', printReport(report), ...comparisons.map(printComparison), ''].join('\n'))
  if (options.out !== undefined)
    progress(`written: ${writeReport(options.out, report, comparisons).join(', ')}`)
  const below = belowGates(report.methods, options.gates)
  for (const line of below) console.error(line)
  return below.length > 0 ? 1 : 0
}

async function measure(options: Options, collection: Collection): Promise<Report> {
  const { groups } = collection
  const asked =
    options.peers.length > 0 ? await askPeers(options, collection) : await askDaybook(options, collection)
  return {
    version: 1,
    data: collection.name,
    at: new Date().toISOString(),
    commit: commit(),
    groups: groups.length,
    memories: groups.reduce((sum, group) => sum + group.memories.length, 0),
    ...asked,
  }
}

type Asked = Pick<Report, 'daybook' | 'methods'>

async function askDaybook(options: Options, collection: Collection): Promise<Asked> {
  const daybook = await openDaybook(options, collection)
  try {
    const methods = await evaluate(daybook, collection, options.methods, progress)
    return { daybook: daybook.description, methods }
  } finally {
    await daybook.close()
  }
}

async function askPeers({ peers }: Options, collection: Collection): Promise<Asked> {
  const methods = await evaluatePeers(openPeers(peers, collection), collection, progress)
  return { daybook: 'memory servers, one after another', methods }
}

function openDaybook(options: Options, collection: Collection): Promise<EvaluatedDaybook> {
  const { DAYBOOK_URL: url, DAYBOOK_API_KEY: apiKey } = process.env
  const ablated = options.methods.some(({ without }) => without.length > 0)
  if (url) {
    if (!apiKey)
      throw new WrongOption('DAYBOOK_URL is set, and DAYBOOK_API_KEY is not: it says which project to use')
    if (ablated) throw new WrongOption('--without needs a daemon of the evaluation: unset DAYBOOK_URL')
    return runningDaybook({ url, apiKey }, options.amongOthers)
  }
  progress('starting a daemon')
  return startOwnDaybook({
    groups: collection.groups.map(({ name }) => name),
    embedder: options.methods.some(usesVectors) ? (process.env['DAYBOOK_EMBEDDER'] ?? 'minilm') : 'none',
    ablated,
    ...(options.keep === undefined ? {} : { folder: keptFolder(options.keep, collection) }),
  })
}

function commit(): string | null {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--exclude=*'], {
      cwd: REPOSITORY,
      encoding: 'utf8',
    }).trim()
  } catch {
    return null
  }
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === null) console.log(HELP)
  // `exit` kills the daemon.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  process.exitCode = options === null ? 0 : await run(options)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (error instanceof WrongOption) console.error('\nnpm run eval -- --help tells the options.')
  process.exitCode = error instanceof WrongOption ? 2 : 1
}
