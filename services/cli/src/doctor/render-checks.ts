import { safeLine } from '@daybook/memory/safe-text'
import { outputColumns } from '../output/columns.ts'
import type { Painter } from '../output/paint.ts'
import { wrapBehind } from '../output/wrap.ts'
import type { Check } from './check.ts'

/** One line per check, with advice below those that need it, and a summary at the end. */
export function renderChecks(
  checks: readonly Check[],
  { bold, dim }: Painter,
  columns = outputColumns(),
): string {
  const width = Math.max(...checks.map(({ name }) => safeLine(name).length))
  const lines = checks.flatMap(({ name, status, message, advice }) => {
    const state = status.padEnd(7)
    const before = `${status === 'OK' ? state : bold(state)}  ${safeLine(name).padEnd(width)}  `
    return [
      wrapBehind(before, safeLine(message), columns),
      ...(advice === null
        ? []
        : [wrapBehind(' '.repeat(9 + width + 2), dim(`→ ${safeLine(advice)}`), columns)]),
    ]
  })
  return [...lines, '', sum(checks)].join('\n')
}

function sum(checks: readonly Check[]): string {
  const count = (status: Check['status']) => checks.filter((one) => one.status === status).length
  const [warnings, failures] = [count('WARNING'), count('FAILED')]
  if (warnings + failures === 0) return `All ${checks.length} checks are well.`
  return `${checks.length} checks: ${count('OK')} well, ${warnings} with a warning, ${failures} failed.`
}
