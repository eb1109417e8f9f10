import { KIND_NAMES, type KindName, kindNamed } from '@daybook/memory/kinds/index'
import type { FieldShape } from '@daybook/memory/kinds/kind'
import { nameInMemory } from '@daybook/memory/kinds/name-in-memory'
import { objectName } from '@daybook/memory/kinds/object-name'
import type { Memory } from '@daybook/memory/state'
import { builder } from '../builder.ts'
import { enumOfWords } from './enum-of-words.ts'
import { memoryInterface, node } from './memory.ts'

/*
 * One GraphQL object and two inputs for each kind, made from the kind's own fields (libs/memory/src/kinds). A
 * new kind needs no change here.
 */

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** The beginning of the names of a kind's inputs and enums: `Insight`. */
const typeName = (kind: KindName) => capitalised(kind)

/**
 * Whether the field is optional in some kind. GraphQL refuses `String` and `String!` under one name in a
 * selection over kinds. So a field that is nullable in one kind is nullable in all.
 */
const isNullable = (name: string) =>
  KIND_NAMES.some((kind) => kindNamed(kind).fields[name]?.required === false)

const isChoice = (shape: FieldShape): shape is readonly [string, ...string[]] => Array.isArray(shape)

const choices = new Map<string, ReturnType<typeof enumOfWords<string>>>()

/** The enum of a field with a few possible words, named after kind and field: `SessionStatus`. */
function choiceOf(kind: KindName, field: string, words: readonly string[]) {
  const name = typeName(kind) + capitalised(field)
  const known = choices.get(name) ?? enumOfWords(name, words)
  choices.set(name, known)
  return known
}

/** The type of a field that is no list. */
function typeOf(kind: KindName, field: string, shape: Exclude<FieldShape, 'strings'>) {
  if (shape === 'moment') return 'DateTime'
  return isChoice(shape) ? choiceOf(kind, field, shape) : 'String'
}

for (const kind of KIND_NAMES) {
  const definition = kindNamed(kind)
  const { description, fields, sameInMemory } = definition
  builder.objectType(builder.objectRef<Memory>(objectName(kind)), {
    description,
    interfaces: [node, memoryInterface],
    isTypeOf: (value) => (value as Partial<Memory>).state?.kind === kind,
    fields: (t) => {
      const entries = Object.entries(fields).flatMap(([name, field]) => {
        // The interface `Memory` has the field.
        if (sameInMemory.includes(name)) return []
        const options = { nullable: isNullable(name), description: field.description }
        // Pothos types its result by `nullable`, which is known only at run time.
        const resolve = ({ state }: Memory) => state.content[name] ?? null
        const shape = field.shape
        const made =
          shape === 'strings'
            ? t.stringList({
                ...options,
                nullable: false,
                complexity: 1,
                resolve: ({ state }) => (state.content[name] ?? []) as string[],
              })
            : t.field({ ...options, type: typeOf(kind, name, shape), resolve: resolve as never })
        return [[nameInMemory(definition, name), made] as const]
      })
      return Object.fromEntries(entries)
    },
  })
}

/** A kind's fields as an input. In a revision no field is required, and null empties an optional one. */
function contentInput(kind: KindName, suffix: 'Input' | 'RevisionInput') {
  const { description, fields } = kindNamed(kind)
  return builder.inputType(typeName(kind) + suffix, {
    description:
      suffix === 'Input' ? description : 'Only what is given changes; null empties an optional field.',
    fields: (t) => {
      const entries = Object.entries(fields).map(([name, field]) => {
        const options = { required: field.required && suffix === 'Input', description: field.description }
        const shape = field.shape
        const made =
          shape === 'strings'
            ? t.stringList(options)
            : t.field({ ...options, type: typeOf(kind, name, shape) })
        return [name, made] as const
      })
      const own = Object.fromEntries(entries)
      // The expiry is a field of the memory, but for a stash people usually give it with the content.
      return kind === 'stash' ? { ...own, expiresAt: t.field({ type: 'DateTime' }) } : own
    },
  })
}

function oneOfKinds(name: string, description: string, suffix: 'Input' | 'RevisionInput') {
  return builder.inputType(name, {
    description,
    isOneOf: true,
    fields: (t) =>
      Object.fromEntries(KIND_NAMES.map((kind) => [kind, t.field({ type: contentInput(kind, suffix) })])),
  })
}

/** The input with the content to remember. */
export const memoryContentInput = oneOfKinds(
  'MemoryContentInput',
  'The content to remember: exactly one kind.',
  'Input',
)
/** The input with the changes of a revision. */
export const reviseContentInput = oneOfKinds(
  'ReviseContentInput',
  "Changes to the memory's own kind.",
  'RevisionInput',
)
