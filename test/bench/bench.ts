import { percentile } from '../src/support/percentile.ts'

/**
 * A benchmark: ours against the obvious alternative, with a goal for the ratio. One file each; the list is in
 * `main.ts`.
 */
export interface Bench {
  readonly name: string
  /** One line. */
  readonly description: string
  run(options: BenchOptions): Promise<void>
}

/** The options of a run. */
export interface BenchOptions {
  /** How often the sides take turns; each bench has its own default. More rounds give steadier numbers. */
  readonly rounds: number | undefined
  /** Whether to measure also at a size that takes long to build. */
  readonly large: boolean
  /** How many memories, where a bench leaves the choice. Default: its own. */
  readonly memories?: number | undefined
}

/** Two numbers to compare. */
export interface Comparison {
  readonly title: string
  readonly ours: { readonly label: string; readonly value: string }
  readonly theirs: { readonly label: string; readonly value: string }
  readonly ratio: number
  readonly goal: { readonly atLeast: number } | { readonly atMost: number }
}

/** Prints both sides, the ratio, the goal, and whether it is met. */
export function printComparison({ title, ours, theirs, ratio, goal }: Comparison): void {
  const width = Math.max(ours.label.length, theirs.label.length)
  const [words, met] =
    'atLeast' in goal
      ? [`at least ${goal.atLeast}`, ratio >= goal.atLeast]
      : [`at most ${goal.atMost}`, ratio <= goal.atMost]
  console.log(title)
  for (const { label, value } of [ours, theirs]) console.log(`  ${label.padEnd(width)}   ${value}`)
  console.log(`  ratio ${ratio.toFixed(2)}, goal ${words}: ${met ? 'met' : 'NOT MET'}`)
}

/** Runs the work. @returns the seconds it took */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

/** Each client sends its next one when the one before is answered. Takes the work out of the list. */
export async function fromClients<T>(
  clients: number,
  work: T[],
  send: (one: T) => Promise<unknown>,
): Promise<void> {
  const client = async () => {
    for (let one = work.shift(); one !== undefined; one = work.shift()) await send(one)
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** The median of the values. */
export const median = (values: readonly number[]): number => percentile(values, 0.5)
