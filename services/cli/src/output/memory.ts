import type { HistoryEvent } from '../client/memory.ts'
import type { MemoryWithContent } from '../client/memory-content.ts'
import { outputColumns } from './columns.ts'
import { toJson } from './json.ts'
import { safeLine, safeText } from './safe-text.ts'
import { shorten } from './shorten.ts'
import { wrap } from './wrap.ts'

/** A field's value for people: lists one a line, texts as they are, set in where they have several lines. */
function renderValue(value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => safeLine(String(one))).join('\n')
  return typeof value === 'object' ? toJson(value) : safeText(String(value))
}

/** Columns by which what belongs to a line above is set in. */
const SET_IN = 2

function renderField(name: string, value: unknown): string {
  const lines = renderValue(value).split('\n')
  return lines.length === 1
    ? wrap(`${name}: ${lines[0]}`, outputColumns(), SET_IN)
    : [`${name}:`, ...lines.map((line) => `  ${line}`)].join('\n')
}

/** A memory whole: its own fields, then those of all memories that say something. */
export function renderMemory(memory: MemoryWithContent): string {
  const { id, kind, content, title: _, text: __, version, sequence, createdAt, updatedAt, ...common } = memory
  const own = Object.values(content)[0] ?? {}
  const said = Object.entries(common).filter(([name, value]) => {
    if (name === 'decayWeight' || value === null) return false
    if (Array.isArray(value)) return value.length > 0
    return typeof value === 'object' ? Object.keys(value).length > 0 : value !== 0 || name === 'importance'
  })
  return [
    `${kind.toLowerCase()}  ${safeLine(id)}`,
    ...Object.entries(own).map(([name, value]) => renderField(name, value)),
    '',
    ...said.map(([name, value]) =>
      renderField(name, Array.isArray(value) ? value.map((one) => safeLine(String(one))).join(', ') : value),
    ),
    `version: ${version} (sequence ${sequence})`,
    `created: ${createdAt}${updatedAt === createdAt ? '' : `, updated: ${updatedAt}`}`,
  ].join('\n')
}

/** What happened to a memory: an event, what it changed, and where that is its text, how it begins; then how to go back. */
export function renderHistory(events: readonly HistoryEvent[], id: string): string {
  const columns = outputColumns()
  const lines = events.flatMap(({ version, sequence, recordedAt, type, changed, actor, memory }) => {
    const what = changed.length === 0 ? '' : `  ${changed.map(safeLine).join(', ')}`
    const who = actor === null ? '' : `  by ${safeLine(actor)}`
    const text = changed.some((name) => name.startsWith('content.')) ? safeLine(memory?.text ?? '') : ''
    return [
      wrap(
        `version ${version}  sequence ${sequence}  ${recordedAt}  ${safeLine(type)}${what}${who}`,
        columns,
        SET_IN,
      ),
      ...(text === '' ? [] : [`  ${shorten(text, columns - SET_IN)}`]),
    ]
  })
  const before = events.at(-2)
  if (before !== undefined)
    lines.push(`\nBring a version back:  daybook restore ${id} --version ${before.version}`)
  return lines.join('\n')
}
