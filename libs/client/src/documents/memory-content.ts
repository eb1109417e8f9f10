import { graphql, type InputOf } from '@daybook/api/graphql'
import { KIND_NAMES, type KindName, kindNamed } from '@daybook/memory/kinds/index'
import { MEMORY_FIELD_NAMES, nameInMemory } from '@daybook/memory/kinds/name-in-memory'
import { objectName } from '@daybook/memory/kinds/object-name'
import type { Memory, NO_CONTENT } from './memory.ts'

/*
 * One GraphQL selection that asks for the own fields of every kind. It is made from the kinds' definitions.
 */

const signature = (kind: KindName, field: string) => {
  const { shape, required } = kindNamed(kind).fields[field] ?? {}
  return JSON.stringify([shape, required])
}

/**
 * The field's name in the answer. GraphQL refuses one name for fields of different types, so such fields get
 * an alias. The others get none, because the daemon limits aliases.
 */
function answerName(kind: KindName, field: string): string {
  const sharers = KIND_NAMES.filter((other) => Object.hasOwn(kindNamed(other).fields, field))
  const agree = sharers.every((other) => signature(other, field) === signature(kind, field))
  return agree ? nameInMemory(kindNamed(kind), field) : `${kind}_${field}`
}

/**
 * The own fields of all kinds, as a fragment. Its content is known at run time only, so its type names no
 * fields.
 */
export function memoryContent(): typeof NO_CONTENT {
  const selections = KIND_NAMES.map((kind) => {
    const fields = Object.keys(kindNamed(kind).fields).map((field) => {
      const [answer, output] = [answerName(kind, field), nameInMemory(kindNamed(kind), field)]
      return answer === output ? output : `${answer}: ${output}`
    })
    return `... on ${objectName(kind)} { ${fields.join(' ')} }`
  })
  const text = `fragment MemoryContent on Memory { id ${selections.join(' ')} }`
  return graphql(text as 'fragment MemoryContent on Memory { id }')
}

type KeysOf<Union> = Union extends unknown ? keyof Union : never

/** A union whose members also say which fields of the others they lack, so that each can be asked for. */
type Exclusive<Union, Keys extends PropertyKey = KeysOf<Union>> = Union extends unknown
  ? Union & { readonly [Key in Exclude<Keys, keyof Union>]?: undefined }
  : never

/** The fields of one kind, under its name. */
export type MemoryContent = Exclusive<InputOf<'MemoryContentInput'>>

/** Fields under the name of their kind. Daybook checks that they are its fields. */
export const contentOfKind = (kind: string, fields: Readonly<Record<string, unknown>>): MemoryContent =>
  ({ [kind]: fields }) as InputOf<'MemoryContentInput'>

/** A memory with its own fields, by the name of its kind. */
export type MemoryWithContent = Memory & { readonly content: MemoryContent }

/** The own fields of a memory that was asked for with `memoryContent`, as `RememberInput` takes them. */
export function ownFields(answer: {
  readonly kind: string
  readonly [field: string]: unknown
}): Readonly<Record<string, unknown>> {
  const kind = answer.kind.toLowerCase() as KindName
  return Object.fromEntries(
    Object.keys(kindNamed(kind).fields)
      .map((field) => [field, answer[answerName(kind, field)]] as const)
      .filter(([, value]) => value !== null && value !== undefined),
  )
}

/** The memory with its own fields under `content.<kind>`, the shape in which `RememberInput` takes them. */
export function withContent(answer: Memory): MemoryWithContent {
  const { id, kind, title, text, ...others } = answer
  const common = Object.fromEntries(
    Object.entries(others).filter(([name]) => (MEMORY_FIELD_NAMES as readonly string[]).includes(name)),
  ) as typeof others
  return { id, kind, title, text, content: contentOfKind(kind.toLowerCase(), ownFields(answer)), ...common }
}
