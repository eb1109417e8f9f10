import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { TEST_RUN } from '@daybook/runtime/testing/needs'
import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** Starts of embedded databases and of services that a run may take; more fails it. Each takes 1 to 2 s of CPU time; 60 is the goal. */
const MOST_STARTS = 260
/** Seconds that a test file may take, by lane. Longer ones are printed, longest first; nothing fails because of it. */
const BUDGETS: Readonly<Record<string, number>> = { unit: 2, db: 20, e2e: 30 }

/** Prints at the end of a run what it left out and why, what it started, and which files took long. */
export default class EndReporter implements Reporter {
  #partly = false

  onInit({ config }: Vitest): void {
    this.#partly = config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    printSlow(modules)
    printStarts()
    printSkipped()
    if (!this.#partly) for (const problem of filesWithoutReason(modules)) fail(problem)
  }
}

function printSlow(modules: readonly TestModule[]): void {
  const slow = modules
    .map((module) => ({
      name: nameOf(module.moduleId),
      seconds: module.diagnostic().duration / 1_000,
      budget: BUDGETS[module.project.name] ?? 30,
    }))
    .filter(({ seconds, budget }) => seconds > budget)
    .toSorted((a, b) => b.seconds - a.seconds)
  if (slow.length === 0) return
  console.log('\nOver their time budget:')
  for (const { name, seconds, budget } of slow)
    console.log(`  ${seconds.toFixed(1).padStart(6)} s of ${budget}  ${name}`)
}

function printStarts(): void {
  const starts = notes('starts').map((line) => line.split('\t'))
  const counts = [...byKey(starts, ([what = '']) => what)].map(([what, each]) => `${each.length} × ${what}`)
  console.log(`\nStarted: ${counts.join(', ') || 'nothing'}; ${starts.length} of at most ${MOST_STARTS}`)
  for (const [file, each] of [...byKey(starts, ([, by = '']) => by)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  ))
    console.log(`  ${String(each.length).padStart(3)}  ${file}`)
  if (starts.length > MOST_STARTS) fail('Too many starts: share a daemon or a database.')
}

interface Skipped {
  readonly name: string
  readonly problem: string
  readonly file: string
}

const skipped = () => notes('skipped').map((line) => JSON.parse(line) as Skipped)

function printSkipped(): void {
  for (const [name, each] of byKey(skipped(), (one) => one.name)) {
    const files = new Set(each.map(({ file }) => file)).size
    console.log(
      `\n*** NOT TESTED: ${name}, in ${files} ${files === 1 ? 'file' : 'files'}. ${each[0]?.problem}`,
    )
  }
}

/** @returns the files that skip tests, or have none, without `needing` having noted why */
export function filesWithoutReason(modules: readonly TestModule[]): string[] {
  const withReason = new Set(skipped().map(({ file }) => file))
  return modules
    .filter(
      ({ moduleId, children }) =>
        !withReason.has(moduleId) &&
        (!children.allTests('skipped').next().done || children.allTests().next().done),
    )
    .map(
      ({ moduleId }) =>
        `${nameOf(moduleId)} leaves tests out without a reason: use \`needing\` (@daybook/runtime/testing/needing).`,
    )
}

function byKey<One>(all: readonly One[], keyOf: (one: One) => string): Map<string, One[]> {
  const found = new Map<string, One[]>()
  for (const one of all) found.set(keyOf(one), [...(found.get(keyOf(one)) ?? []), one])
  return found
}

function fail(problem: string): void {
  console.log(`\n*** ${problem}`)
  process.exitCode = 1
}

function notes(kind: 'starts' | 'skipped'): string[] {
  const file = join(process.env[TEST_RUN] ?? '', kind)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

const nameOf = (file: string) => relative(process.cwd(), file)
