import { safeLine } from '@daybook/memory/safe-text'
import { outputColumns } from '../output/columns.ts'
import { shorten } from '../output/shorten.ts'
import { spoken } from '../output/spoken.ts'
import type { Conflict } from './conflict-documents.ts'

/** Fields of a change that are shown. */
const SHOWN_FIELDS = 8
/** The most columns of a value, however wide the terminal is. */
const WIDEST_VALUE = 200

/** Conflicts as text, one after the other. */
export const renderConflicts = (conflicts: readonly Conflict[]): string =>
  conflicts.map(renderConflict).join('\n\n')

function renderConflict(one: Conflict): string {
  const { id, memory, command, code, problem, actor, givenAt, baseVersion, homeVersion } = one
  const { type, id: given } = command as { readonly type?: string; readonly id?: string }
  const of =
    memory === null ? safeLine(given ?? 'a memory') : `${safeLine(memory.id)}  ${safeLine(memory.title)}`
  const versions = [
    ...(baseVersion === null ? [] : [`made on version ${baseVersion}`]),
    ...(homeVersion === null ? [] : [`the home had version ${homeVersion}`]),
  ]
  return [
    `${safeLine(id)}`,
    `  ${spoken(type ?? 'change')} of ${of}`,
    ...describeChange(command).map((line) => `    ${line}`),
    `  given ${safeLine(givenAt)}${actor === null ? '' : ` by ${safeLine(actor)}`}${versions.length === 0 ? '' : `; ${versions.join(', ')}`}`,
    `  ${safeLine(problem)} (${safeLine(code)})`,
    `  ${describeResolution(one)}`,
  ].join('\n')
}

/** How it ended, or that it waits. */
export function describeResolution({ resolution, resolvedAt, resolvedBy }: Conflict): string {
  const when = resolvedAt === null ? '' : ` ${safeLine(resolvedAt)}`
  const by = resolvedBy === null ? '' : ` by ${safeLine(resolvedBy)}`
  switch (resolution) {
    case null:
      return 'waits for a decision'
    case 'LATEST_WINS':
      return `made on top of the other one, by the rule${when}`
    case 'MINE':
      return `made on top of the other one${by}${when}`
    case 'THEIRS':
      return `left out${by}${when}`
  }
}

/** What was to be done, a line for each field. */
function describeChange(command: unknown): string[] {
  const { type: _, id: __, expectedVersion: ___, input, ...more } = command as Record<string, unknown>
  const fields = [...flatten(input ?? {}), ...flatten(more)]
  const most = Math.min(WIDEST_VALUE, outputColumns() - 4)
  return [
    ...fields
      .slice(0, SHOWN_FIELDS)
      .map(([name, value]) => shorten(`${name}: ${safeLine(textOf(value))}`, most)),
    ...(fields.length > SHOWN_FIELDS ? [`… and ${fields.length - SHOWN_FIELDS} more (--json)`] : []),
  ]
}

const textOf = (value: unknown): string =>
  value === null ? '(emptied)' : typeof value === 'string' ? value : JSON.stringify(value)

/** The fields of nested objects. The two levels of a content, `content.fields`, are named as its fields. */
function flatten(value: unknown): [name: string, value: unknown][] {
  return Object.entries(value as object).flatMap(([name, one]): [string, unknown][] => {
    if (name === 'content' && typeof one === 'object' && one !== null && 'fields' in one)
      return Object.entries((one as { fields: object }).fields)
    return [[safeLine(name), one]]
  })
}
