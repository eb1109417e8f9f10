import { safeLine, safeText } from '@daybook/memory/safe-text'
import type { Painter } from './print.ts'

/** Two versions of a memory and what differs, as the API answers. */
export interface Difference {
  readonly id: string
  readonly from: number
  readonly to: number
  readonly fromRecordedAt: string
  readonly toRecordedAt: string
  readonly changed: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[]
  readonly text: readonly { readonly change: 'SAME' | 'REMOVED' | 'ADDED'; readonly text: string }[]
}

/** Unchanged text between changes is shown up to so many characters on each side. */
const AROUND = 80

/** Longer values are not shown twice: the text below has them. */
const SHORT_VALUE = 60

/**
 * The difference of two versions: its fields, then the text with the words that changed, marked as GNU wdiff
 * does.
 */
export function renderDiff(
  { id, from, to, fromRecordedAt, toRecordedAt, changed, text }: Difference,
  paint: Painter,
): string {
  const head = [`${safeLine(id)}  version ${from} → ${to}`, paint.dim(`${fromRecordedAt} → ${toRecordedAt}`)]
  if (changed.length === 0) return [...head, '', 'The two versions say the same.'].join('\n')
  const words = text.every(({ change }) => change === 'SAME')
    ? []
    : [
        '',
        text.map((part, index) => renderPart(part, index === 0, index === text.length - 1, paint)).join(''),
      ]
  return [...head, '', ...changed.map(renderField), ...words].join('\n')
}

function renderField({ field, before, after }: Difference['changed'][number]): string {
  const [left, right] = [renderValue(before), renderValue(after)]
  return left.length > SHORT_VALUE || right.length > SHORT_VALUE
    ? `${safeLine(field)}: changed`
    : `${safeLine(field)}: ${left} → ${right}`
}

function renderValue(value: unknown): string {
  if (value === null) return '(none)'
  if (typeof value === 'string') return safeLine(value)
  return safeLine(JSON.stringify(value))
}

function renderPart(
  { change, text }: Difference['text'][number],
  isFirst: boolean,
  isLast: boolean,
  paint: Painter,
): string {
  const safe = safeText(text)
  if (change === 'REMOVED') return paint.bold(`[-${safe}-]`)
  if (change === 'ADDED') return paint.match(`{+${safe}+}`)
  const before = isFirst ? '' : safe.slice(0, AROUND)
  const after = isLast ? '' : safe.slice(-AROUND)
  return safe.length <= before.length + after.length ? safe : `${before} … ${after}`
}
