import type { InputOf } from '@daybook/api/graphql'
import { contentOfKind, type MemoryContent } from '@daybook/client/documents/memory-content'
import type { CommonFieldName } from '@daybook/memory/common-fields'
import { isKindName, KIND_NAMES, type KindName, kindNamed } from '@daybook/memory/kinds/index'
import { z } from 'zod'
import { ApiError } from '../session.ts'
import { time } from './search.ts'

/*
 * What a memory has, as arguments. The fields of the kinds stand in one sentence that is made from their definitions: as
 * schemas they would take 900 tokens of every agent's context, and Daybook checks them anyway.
 */

/** `note: text*. insight: content*, key. …` */
export const KIND_FIELDS = KIND_NAMES.map((kind) => `${kind}: ${fieldsOf(kind)}`).join('. ')

function fieldsOf(kind: KindName): string {
  return Object.entries(kindNamed(kind).fields)
    .map(([name, { required, shape }]) =>
      [
        name,
        required ? '*' : '',
        shape === 'strings' ? '[]' : '',
        Array.isArray(shape) ? ` (${shape.join(', ')})` : '',
      ].join(''),
    )
    .join(', ')
}

/** The fields of a kind's own. */
export const fields = (description: string) => z.record(z.string(), z.unknown()).describe(description)

const strings = z.array(z.string()).optional()

/** What memories of every kind have, by the API's names. Whose agent it is, the session says. */
export const COMMON = {
  labels: strings,
  categories: strings.describe('person, emotion, interest, event, …'),
  importance: z.int().min(0).max(10).optional().describe('5 is usual'),
  context: z.string().optional().describe('namespace; the client’s own unless given'),
  occurredAt: time('RFC 3339, if not now'),
  expiresAt: time('RFC 3339'),
  metadata: z.record(z.string(), z.unknown()).optional(),
  supersedes: z.string().optional().describe('id of what it replaces'),
} satisfies Record<Exclude<CommonFieldName, 'agent'>, z.ZodType>

/** The common fields among what was given, as the API takes them. */
export function commonOf(given: Readonly<Record<string, unknown>>): Omit<InputOf<'ReviseInput'>, 'content'> {
  return Object.fromEntries(
    Object.keys(COMMON).flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  ) as Omit<InputOf<'ReviseInput'>, 'content'>
}

/**
 * A memory or a change with its kind's own fields under `fields`, where they stood beside the others.
 * @param others what it has in this tool beside its fields and what all memories have in common
 */
export function withFields(given: unknown, kind: string, others: readonly string[]): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || 'fields' in given) return given
  const own = isKindName(kind) ? kindNamed(kind).fields : {}
  const beside = new Set([...others, ...Object.keys(COMMON)])
  const isOwn = (name: string) => Object.hasOwn(own, name) || !beside.has(name)
  const entries = Object.entries(given)
  const ofKind = entries.filter(([name]) => isOwn(name))
  return {
    ...Object.fromEntries(entries.filter(([name]) => !isOwn(name))),
    ...(ofKind.length > 0 && { fields: Object.fromEntries(ofKind) }),
  }
}

/**
 * A kind's own fields as the API takes them: choices such as `closed` are enums there.
 * @throws ApiError VALIDATION that lists the kind's fields, for one that it does not have
 */
export function contentOf(kind: string, given: Readonly<Record<string, unknown>>): MemoryContent {
  if (!isKindName(kind))
    throw new ApiError('VALIDATION', `There is no kind "${kind}": ${KIND_NAMES.join(', ')}`)
  const known = kindNamed(kind).fields
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined)
    throw new ApiError(
      'VALIDATION',
      `A memory of the kind ${kind} has no field "${unknown}". Its fields (* required): ${fieldsOf(kind)}. Such as ${JSON.stringify({ kind, fields: { [kindNamed(kind).mainField]: '…' } })}`,
    )
  const values = Object.entries(given).map(([name, value]) => [
    name,
    Array.isArray(known[name]?.shape) && typeof value === 'string' ? value.toUpperCase() : value,
  ])
  return contentOfKind(kind, Object.fromEntries(values))
}

/**
 * What empties fields, as the API takes it.
 * @returns the common fields among the names, and the kind's own
 */
export function emptied(
  kind: string,
  names: readonly string[],
): {
  readonly common: Record<string, null>
  readonly own: Record<string, null | readonly []>
} {
  const own = isKindName(kind) ? kindNamed(kind).fields : {}
  const ofKind = names.filter((name) => Object.hasOwn(own, name))
  return {
    common: Object.fromEntries(names.filter((name) => !ofKind.includes(name)).map((name) => [name, null])),
    own: Object.fromEntries(ofKind.map((name) => [name, own[name]?.shape === 'strings' ? [] : null])),
  }
}
