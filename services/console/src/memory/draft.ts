import { contentOfKind } from '@daybook/client/documents/memory-content'
import type { CommonFieldName } from '@daybook/memory/common-fields'
import { type KindName, kindNamed } from '@daybook/memory/kinds/index'
import type { NewMemory, Revision, WholeMemory } from '../api/memory.ts'
import { fieldName } from '../components/field.tsx'

/*
 * A revision while it is typed. Every field is a text, as its control holds it; only what was touched is kept, so that
 * everything else follows when somebody else changes the memory meanwhile.
 */

/** What was typed, by field. A kind's own field is `content.<name>`. */
export type Draft = Readonly<Record<string, string>>

/** A field that can be revised, and the control that it takes. */
export interface DraftField {
  /** `content.text`, `labels` */
  readonly field: string
  readonly name: string
  readonly control: 'text' | 'line' | 'lines' | 'words' | 'moment' | 'number' | 'json' | readonly string[]
  readonly required: boolean
  readonly hint?: string
}

/** The fields that every memory has. What it supersedes is said of that one. */
const COMMON_CONTROLS = {
  labels: { name: 'Labels', control: 'words', hint: 'separated by commas' },
  categories: { name: 'Categories', control: 'words', hint: 'separated by commas' },
  context: { name: 'Context', control: 'line' },
  agent: { name: 'Agent', control: 'line' },
  importance: { name: 'Importance', control: 'number', hint: '0 to 10' },
  occurredAt: { name: 'When it happened', control: 'moment' },
  expiresAt: { name: 'Expires', control: 'moment' },
  metadata: { name: 'Metadata', control: 'json', hint: 'a JSON object' },
} as const satisfies Record<Exclude<CommonFieldName, 'supersedes'>, Omit<DraftField, 'field' | 'required'>>

const COMMON: readonly DraftField[] = Object.entries(COMMON_CONTROLS).map(([field, shown]) => ({
  field,
  required: false,
  ...shown,
}))

/** The fields of a memory that can be given: those of its kind, then those of every memory. */
export function draftFields({ kind }: { readonly kind: string }): {
  readonly own: readonly DraftField[]
  readonly common: readonly DraftField[]
} {
  const { fields } = kindNamed(kind.toLowerCase() as KindName)
  const own = Object.entries(fields)
    // A document's id elsewhere never changes.
    .filter(([name]) => name !== 'externalId')
    .map(([name, { shape, required, description }]) => ({
      field: `content.${name}`,
      name: fieldName(name),
      control: CONTROLS[typeof shape === 'string' ? shape : 'choice'] ?? (shape as readonly string[]),
      required,
      hint: shape === 'strings' ? `${description} One in a line.` : description,
    }))
  return { own, common: COMMON }
}

const CONTROLS: Readonly<Record<string, 'text' | 'lines' | 'moment'>> = {
  string: 'text',
  strings: 'lines',
  moment: 'moment',
}

/** A field of a memory as its control holds it. */
export function valueIn(memory: WholeMemory, { field, control }: DraftField): string {
  const value = field.startsWith('content.')
    ? memory.own[field.slice('content.'.length)]
    : (memory as Readonly<Record<string, unknown>>)[field]
  if (value === null || value === undefined) return ''
  if (control === 'json') return Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2)
  if (control === 'moment') return localMinute(String(value))
  if (Array.isArray(value)) return value.join(control === 'words' ? ', ' : '\n')
  return typeof control === 'object' ? String(value).toUpperCase() : String(value)
}

/** A moment as `datetime-local` takes it: the viewer's clock. */
function localMinute(moment: string): string {
  const at = new Date(moment)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/**
 * The revision that a draft is, with only what differs from the memory; null if nothing does.
 * @throws Error in words, for a value that is none
 */
export function toRevision(memory: WholeMemory, draft: Draft): Revision | null {
  const { own, common } = draftFields(memory)
  const changes = (fields: readonly DraftField[]) =>
    fields.flatMap((one) => {
      const typed = draft[one.field]
      if (typed === undefined || typed === valueIn(memory, one)) return []
      return [[one.field.replace(/^content\./u, ''), parse(one, typed)] as const]
    })
  const [content, others] = [changes(own), changes(common)]
  if (content.length + others.length === 0) return null
  const kind = memory.kind.toLowerCase()
  return {
    ...Object.fromEntries(others),
    ...(content.length > 0 && { content: { [kind]: Object.fromEntries(content) } }),
  } as Revision
}

/** The memory that a draft of a kind is; what is empty is not given. @throws Error in words, for a value that is none */
export function toMemory(kind: KindName, draft: Draft): NewMemory {
  const { own, common } = draftFields({ kind })
  const given = (fields: readonly DraftField[]) =>
    Object.fromEntries(
      fields.flatMap((one) => {
        const typed = draft[one.field] ?? ''
        return typed.trim() === '' ? [] : [[one.field.replace(/^content\./u, ''), parse(one, typed)]]
      }),
    )
  return { ...given(common), content: contentOfKind(kind, given(own)) }
}

function parse({ name, control }: DraftField, typed: string): unknown {
  const text = typed.trim()
  const list = (separator: RegExp) =>
    typed
      .split(separator)
      .map((one) => one.trim())
      .filter((one) => one !== '')
  if (control === 'words') return list(/,/u)
  if (control === 'lines') return list(/\n/u)
  if (control === 'json') return text === '' ? {} : parseObject(name, text)
  if (text === '') return null
  if (control === 'moment') return new Date(typed).toISOString()
  return control === 'number' ? Number(text) : typed
}

function parseObject(name: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Says the same as for a value that is no object.
  }
  throw new Error(`${name} must be a JSON object, such as {"source": "mail"}`)
}
