import { change, rawTable } from './html-table.ts'
import { MEASURES, type MethodReport } from './report.ts'
import { escaped } from './svg.ts'

/** What each term of the ranking carries: the measures without it, beside those of the whole ranking. */
export function ablation(methods: readonly MethodReport[]): string {
  const rows = methods.flatMap((method) => {
    const whole = methods.find(({ name }) => name === method.whole)
    if (whole === undefined) return []
    const cells = MEASURES.map((one) => change(whole.all.measures[one], method.all.measures[one]))
    return [[escaped(method.name), ...cells]]
  })
  if (rows.length === 0) return ''
  return `<h2>Without a term of the ranking</h2>${rawTable(['', ...MEASURES], rows)}`
}
