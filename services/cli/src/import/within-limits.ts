import { splitText } from '@daybook/memory/documents/split-text'
import { isKindName, kindNamed } from '@daybook/memory/kinds/index'
import { LIMITS } from '@daybook/memory/limits'
import { bytes, characters, isBlank } from '@daybook/memory/text-rules'
import { takesText } from '../remember/remember-input.ts'
import { hash, isRecord, type KeyedInput, metadataOf } from './formats/format.ts'

/*
 * Other programs have other limits. What exceeds ours must not keep an entry out: it goes to the metadata, or further texts, and the
 * account of the import says so.
 */

const LONG_NAME = 'long names (whole in the metadata)'

/**
 * An input as the domain takes it. What a text has beyond its limit follows in notes.
 * @param first labels that go before others where there are too many
 * @returns also what of it is not where it was, in the plural, once for each
 */
export function withinLimits(
  input: KeyedInput,
  first: readonly string[],
): { readonly inputs: readonly KeyedInput[]; readonly leftOut: readonly string[] } {
  const leftOut: string[] = []
  const whole: Record<string, unknown> = {}
  const rest: string[] = []

  const shorten = (field: string, name: string): string => {
    if (characters(name) <= LIMITS.nameCharacters) return name
    whole[field] = name
    leftOut.push(LONG_NAME)
    return field === 'externalId' ? shortKey(name) : beginning(name)
  }
  const named = (field: 'agent' | 'context') => {
    const name: unknown = input[field]
    if (typeof name !== 'string') return {}
    return { [field]: isBlank(name) ? null : shorten(field, name) }
  }
  const worded = (field: 'labels' | 'categories', kept: string) => {
    const given: unknown = input[field]
    if (!isListOfTexts(given)) return {}
    const { fitting, others } = wordsWithin(given, first)
    if (others.length > 0) whole[kept] = others
    leftOut.push(...others.map(() => `${field} (kept in the metadata)`))
    return { [field]: fitting }
  }
  const fieldsOf = (kind: string, fields: object) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]: [string, unknown]) => {
        const field = isKindName(kind) ? kindNamed(kind).fields[name] : undefined
        if (field?.shape !== 'string' || typeof value !== 'string') return [name, value]
        if (!takesText(field)) return [name, shorten(name, value)]
        const [text, ...others] = splitText(value)
        rest.push(...others)
        return [name, text]
      }),
    )

  const fitting = {
    ...input,
    content: Object.fromEntries(
      Object.entries(input.content).map(([kind, fields]) => [kind, fieldsOf(kind, fields ?? {})]),
    ) as KeyedInput['content'],
    ...named('agent'),
    ...named('context'),
    ...worded('labels', 'moreLabels'),
    ...worded('categories', 'moreCategories'),
    idempotencyKey: shortKey(input.idempotencyKey),
  }
  // What is of another form is left as it is, so that the API can name it.
  const isOdd = input.metadata != null && !isRecord(input.metadata)
  const { metadata, dropped } = metadataWithin({ ...whole, ...(isOdd ? {} : input.metadata) })
  leftOut.push(...dropped.map(() => 'metadata fields (too long)'))
  const all = isOdd ? fitting : { ...fitting, metadata }
  const { onExisting: _, ...common } = all
  const further = rest.map((text, at) => ({
    ...common,
    content: { note: { text } },
    idempotencyKey: shortKey(`${input.idempotencyKey}:${at + 1}`),
  }))
  return { inputs: [all, ...further], leftOut }
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const beginning = (name: string) =>
  Array.from(name.slice(0, LIMITS.nameCharacters * 2))
    .slice(0, LIMITS.nameCharacters)
    .join('')

/** A name of an original, which must stay another one than those that begin alike. */
function shortKey(key: string): string {
  if (characters(key) <= LIMITS.idempotencyKeyCharacters) return key
  const tail = `:${hash(key)}`
  return `${[...beginning(key)].slice(0, LIMITS.idempotencyKeyCharacters - tail.length).join('')}${tail}`
}

/** The words that fit, in their order, and the others. @param first those that go before others */
function wordsWithin(
  given: readonly string[],
  first: readonly string[],
): { readonly fitting: readonly string[]; readonly others: readonly string[] } {
  const all = [...new Set(given)].filter((word) => !isBlank(word))
  const short = all.filter((word) => characters(word) <= LIMITS.labelCharacters)
  const kept = new Set(
    [...short.filter((word) => first.includes(word)), ...short.filter((word) => !first.includes(word))].slice(
      0,
      LIMITS.labels,
    ),
  )
  return { fitting: all.filter((word) => kept.has(word)), others: all.filter((word) => !kept.has(word)) }
}

/** The fields that fit, in their order: the small ones first, since a long one would keep many out. */
function metadataWithin(given: Readonly<Record<string, unknown>>): {
  readonly metadata: ReturnType<typeof metadataOf>
  readonly dropped: readonly string[]
} {
  const sizes = Object.entries(given)
    .map(([name, value]) => ({
      name,
      size: isTooDeep(value, 1) ? Number.POSITIVE_INFINITY : bytes(JSON.stringify({ [name]: value })),
    }))
    .toSorted((one, other) => one.size - other.size)
  const dropped = new Set<string>()
  let sum = 0
  for (const { name, size } of sizes) {
    if (sum + size > LIMITS.metadataBytes) dropped.add(name)
    else sum += size
  }
  const fitting = Object.entries(given).filter(([name]) => !dropped.has(name))
  return { metadata: metadataOf(Object.fromEntries(fitting)), dropped: [...dropped] }
}

const isTooDeep = (value: unknown, depth: number): boolean =>
  depth > LIMITS.metadataDepth ||
  (typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((inner) => isTooDeep(inner, depth + 1)))
