import { createHash } from 'node:crypto'
import { check } from './check.ts'
import { ValidationError } from './errors.ts'
import { isKindName, KIND_NAMES, type KindName, kindNamed } from './kinds/index.ts'
import type { Field } from './kinds/kind.ts'
import type { Content, JsonValue } from './state.ts'
import { isBlank } from './text-rules.ts'

/** A kind and its fields as given. Nothing is checked yet; absent and null both mean "not given". */
export interface ContentInput {
  readonly kind: string
  readonly fields: { readonly [field: string]: unknown }
}

const isBlankText = (value: unknown) => typeof value === 'string' && isBlank(value)

function knownKind(kind: string): KindName {
  if (isKindName(kind)) return kind
  throw new ValidationError(
    'content',
    `is of an unknown kind "${kind.slice(0, 64)}": use one of ${KIND_NAMES.join(', ')}`,
  )
}

function refuseUnknownFields(kind: KindName, fields: ContentInput['fields']): void {
  const known = kindNamed(kind).fields
  const unknown = Object.keys(fields).find((field) => !Object.hasOwn(known, field))
  if (unknown !== undefined)
    throw new ValidationError(
      `content.${kind}.${unknown.slice(0, 64)}`,
      `is not a field of this kind: it has ${Object.keys(known).join(', ')}`,
    )
}

/**
 * Returns undefined for an optional field that is null or blank: agents send "" where they have nothing to
 * say.
 */
function checkField(path: string, field: Field, value: unknown): JsonValue | undefined {
  if (field.required && value == null) throw new ValidationError(path, 'is required')
  if (value == null || (!field.required && isBlankText(value))) return undefined
  return check(path, field.schema, value) as JsonValue
}

/** Checks the content of a new memory. @throws ValidationError */
export function checkContent(input: ContentInput): { kind: KindName; content: Content } {
  const kind = knownKind(input.kind)
  refuseUnknownFields(kind, input.fields)
  return { kind, content: mergeContent(kind, {}, input.fields, Object.keys(kindNamed(kind).fields)) }
}

/**
 * The content after a revision: only the given fields are checked and changed, and null empties a field.
 * @throws ValidationError
 */
export function reviseContent(kind: KindName, current: Content, input: ContentInput): Content {
  if (input.kind !== kind)
    throw new ValidationError(
      'content',
      `is of kind ${input.kind.slice(0, 64)}, but the memory is of kind ${kind}, which cannot change`,
    )
  refuseUnknownFields(kind, input.fields)
  const given = Object.keys(input.fields).filter((field) => input.fields[field] !== undefined)
  return mergeContent(kind, current, input.fields, given)
}

function mergeContent(
  kind: KindName,
  current: Content,
  fields: ContentInput['fields'],
  names: readonly string[],
): Content {
  const content: Record<string, JsonValue> = { ...current }
  for (const name of names) {
    const field = kindNamed(kind).fields[name]
    if (field === undefined) continue
    const value = checkField(`content.${kind}.${name}`, field, fields[name])
    if (value === undefined) delete content[name]
    else content[name] = value
  }
  return content
}

/** By which the embedding store and the projections know a text: SHA-256 of its UTF-8. */
export function contentHash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
