import type { InputOf } from '@daybook/api/graphql'
import { KIND_NAMES, kindNamed } from '@daybook/memory/kinds/index'
import { z } from 'zod'

/*
 * What a memory has, as arguments. The fields of the kinds stand in one sentence that is made from their definitions: as
 * schemas they would take 900 tokens of every agent's context, and Daybook checks them anyway.
 */

/** `note: text*. insight: content*, key. …` */
export const KIND_FIELDS = KIND_NAMES.map((kind) => {
  const fields = Object.entries(kindNamed(kind).fields).map(([name, { required, shape }]) =>
    [
      name,
      required ? '*' : '',
      shape === 'strings' ? '[]' : '',
      Array.isArray(shape) ? ` (${shape.join(', ')})` : '',
    ].join(''),
  )
  return `${kind}: ${fields.join(', ')}`
}).join('. ')

/** The fields of a kind's own. */
export const fields = (description: string) => z.record(z.string(), z.unknown()).describe(description)

const none = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().optional()

/** What memories of every kind have, by the API's names. `null` empties a field when a memory is revised. */
export const COMMON = {
  labels: none(z.array(z.string())),
  categories: none(z.array(z.string())).describe('person, emotion, interest, event or any other'),
  importance: none(z.int().min(0).max(10)).describe('5 is usual'),
  context: none(z.string()).describe('namespace, such as a repository'),
  occurredAt: none(z.string()).describe('RFC 3339, if not now'),
  expiresAt: none(z.string()).describe('RFC 3339'),
  metadata: none(z.record(z.string(), z.unknown())),
  supersedes: none(z.string()).describe('id of what it replaces'),
}

/** The common fields among what was given, as the API takes them. */
export function commonOf(given: Readonly<Record<string, unknown>>): Partial<InputOf<'ReviseInput'>> {
  return Object.fromEntries(
    Object.keys(COMMON).flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  ) as Partial<InputOf<'ReviseInput'>>
}

/** A kind's own fields as the API takes them: choices such as `closed` are enums there. */
export function contentOf(kind: string, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = kindNamed(kind as (typeof KIND_NAMES)[number]).fields
  const values = Object.entries(given).map(([name, value]) => [
    name,
    Array.isArray(known[name]?.shape) && typeof value === 'string' ? value.toUpperCase() : value,
  ])
  return { [kind]: Object.fromEntries(values) }
}
