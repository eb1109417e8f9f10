import type { Field } from '@daybook/memory/kinds/fields'
import type { KindName } from '@daybook/memory/kinds/index'
import { kindNamed } from '@daybook/memory/kinds/index'
import { nameInMemory } from '@daybook/memory/kinds/name-in-memory'
import { LIMITS } from '@daybook/memory/limits'

/** How one field of a kind is given on the command line. */
export interface KindOption {
  /** Its name in the API: `rootCause`. */
  readonly field: string
  /** Its name here, without dashes: `root-cause`. Lists are given one by one: `files` by `--file`. */
  readonly flag: string
  readonly description: string
  readonly required: boolean
  readonly shape: Field['shape']
  /** Whether the text after the kind is this one. */
  readonly main: boolean
}

const kebab = (name: string) => name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)

/** Whether the field takes a text, rather than a name: its own check says so. */
function takesText({ shape, schema }: Field): boolean {
  return shape === 'string' && schema.safeParse('x'.repeat(LIMITS.nameCharacters + 1)).success
}

/** The field that the text fills: the first that takes a text and must be given, else the first that takes one. */
function mainField(fields: readonly (readonly [string, Field])[]): string | undefined {
  const texts = fields.filter(([, field]) => takesText(field))
  return (texts.find(([, { required }]) => required) ?? texts[0])?.[0]
}

function flagOf(name: string, shape: Field['shape']): string {
  return shape === 'strings' ? kebab(name).replace(/s$/u, '') : kebab(name)
}

/** The options of a kind, made from its fields, so that a new kind needs nothing here. */
export function kindOptions(kind: KindName): readonly KindOption[] {
  const definition = kindNamed(kind)
  const fields = Object.entries(definition.fields)
  const main = mainField(fields)
  return fields.map(([field, { shape, required, description }]) => ({
    field,
    // What all memories have may be an option of the same name: a learning's own context is --context-text.
    flag: flagOf(nameInMemory(definition, field), shape),
    description,
    required,
    shape,
    main: field === main,
  }))
}
