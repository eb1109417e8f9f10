import type { Gate } from './options.ts'
import type { MethodReport } from './report/report.ts'

/** The measures below their gates, in words; empty if there are none. */
export function belowGates(methods: readonly MethodReport[], gates: readonly Gate[]): string[] {
  return methods.flatMap(({ name, all }) =>
    gates.flatMap(({ measure, least }) =>
      all.measures[measure] < least
        ? [`${name}: ${measure} is ${all.measures[measure].toFixed(3)}, below ${least}`]
        : [],
    ),
  )
}
