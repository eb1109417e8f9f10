import type { Gate } from './options.ts'
import type { MethodReport } from './report/report.ts'

/** What is below its gate, in words; empty where nothing is. */
export function belowGates(methods: readonly MethodReport[], gates: readonly Gate[]): string[] {
  return methods.flatMap(({ name, all }) =>
    gates.flatMap(({ measure, least }) =>
      all.measures[measure] < least
        ? [`${name}: ${measure} is ${all.measures[measure].toFixed(3)}, below ${least}`]
        : [],
    ),
  )
}
