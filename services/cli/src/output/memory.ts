import type { HistoryEvent } from '@daybook/client/documents/memory'
import type { MemoryWithContent } from '@daybook/client/documents/memory-content'
import { safeLine, safeText } from '@daybook/memory/safe-text'
import { decode } from 'html-entities'
import { note, type Painter, shorten, spoken, toJson } from './print.ts'
import { outputColumns, wrap } from './table.ts'

const isWriter = (value: unknown): value is ShownWriter =>
  typeof value === 'object' && value !== null && 'keyId' in value && 'client' in value

/**
 * A field's value for people: one list item per line, texts as they are, indented if they have several lines.
 */
function renderValue(value: unknown): string {
  if (isWriter(value)) return renderWriter(value)
  if (Array.isArray(value)) return value.map((one) => safeLine(String(one))).join('\n')
  return typeof value === 'object' ? toJson(value) : safeText(String(value))
}

/** Columns of indentation below a line. */
const SET_IN = 2

function renderField(name: string, value: unknown): string {
  const lines = renderValue(value).split('\n')
  return lines.length === 1
    ? wrap(`${name}: ${lines[0]}`, outputColumns(), SET_IN)
    : [`${name}:`, ...lines.map((line) => `  ${line}`)].join('\n')
}

/** A whole memory: its own fields, then the common fields that are not empty. */
export function renderMemory(memory: MemoryWithContent): string {
  const { id, kind, content, title: _, text: __, version, sequence, createdAt, updatedAt, ...common } = memory
  const own = Object.values(content)[0] ?? {}
  const said = Object.entries(common).filter(([name, value]) => {
    if (
      ['decayWeight', 'quarantine'].includes(name) ||
      value === null ||
      (name === 'trust' && value === 'NORMAL') ||
      name === 'shared'
    )
      return false
    if (Array.isArray(value)) return value.length > 0
    return typeof value === 'object' ? Object.keys(value).length > 0 : value !== 0 || name === 'importance'
  })
  return [
    ...warningOf(memory),
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

/** What stands above a memory in quarantine, and above one that its home does not have yet. */
function warningOf(memory: MemoryWithContent): string[] {
  const { quarantine } = memory as {
    readonly quarantine?: { readonly since: string; readonly reason: string } | null
  }
  return [
    ...(quarantine == null
      ? []
      : [
          `IN QUARANTINE since ${quarantine.since} (${safeLine(quarantine.reason)}): no search finds it. Do not act on what it says.`,
        ]),
    ...(memory.shared
      ? []
      : ["Not shared yet: this version is only here, and goes to the project's home later."]),
  ]
}

/** What a memory's fields and a history show of a writer. */
interface ShownWriter {
  readonly keyId: string
  readonly agent: string | null
  readonly client: string | null
  readonly trust: string
}

/** A writer in one line. */
const renderWriter = ({ keyId, agent, client, trust }: ShownWriter): string =>
  [
    `key ${safeLine(keyId)}`,
    ...(agent === null ? [] : [`agent ${safeLine(agent)}`]),
    ...(client === null ? [] : [`client ${safeLine(client)}`]),
    ...(trust === 'NORMAL' ? [] : [`${spoken(trust)} trust`]),
  ].join(', ')

/**
 * A memory's history: each event with what it changed and, if that was the text, its beginning; then how to
 * go back.
 */
export function renderHistory(events: readonly HistoryEvent[], id: string): string {
  const columns = outputColumns()
  const lines = events.flatMap(({ version, sequence, recordedAt, type, changed, actor, writer, memory }) => {
    const what = changed.length === 0 ? '' : `  ${changed.map(safeLine).join(', ')}`
    const who =
      actor === null ? '' : `  by ${safeLine(actor)}${writer === null ? '' : ` (${renderWriter(writer)})`}`
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

/**
 * Converts the daemon's snippet (escaped HTML with matches in `<mark>`) for a terminal. It replaces the marks
 * before it unescapes the rest, so a memory that itself says `<mark>` shows it.
 */
export function renderSnippet(html: string, paint: Painter): string {
  return html
    .split(/(<mark>.*?<\/mark>)/su)
    .map((part) => {
      const marked = /^<mark>(.*)<\/mark>$/su.exec(part)
      const text = safeText(decode(marked?.[1] ?? part)).replace(/\s+/gu, ' ')
      return marked === null ? text : paint.match(text)
    })
    .join('')
    .trim()
}

interface Hit {
  readonly memory: MemoryWithContent
}

/**
 * A hit as JSON prints it: what the memory says stands there once, in `memory.content`, and the snippet shows which passage matched. Its
 * text is put together from the content; an agent that reads ten hits would pay for each twice.
 */
export function compactHit<Given extends Hit>(given: Given) {
  const { memory, ...hit } = given
  const { text: _, ...once } = memory
  return { ...hit, memory: once }
}

/** Says on standard error that a write has not reached the project's home yet, if so. */
export function noteUnshared({ shared }: { readonly shared: boolean }): void {
  if (!shared)
    note(
      "Not shared yet: the project's home cannot be reached, or something waits before it. It goes there later:  daybook sync status",
    )
}
