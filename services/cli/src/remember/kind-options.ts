import type { Field } from '@daybook/memory/kinds/fields'
import type { KindName } from '@daybook/memory/kinds/index'
import { kindNamed } from '@daybook/memory/kinds/index'
import { nameInMemory } from '@daybook/memory/kinds/name-in-memory'
import { LIMITS } from '@daybook/memory/limits'

/** One field of a kind as an option of the command line. */
export interface KindOption {
  /** Its name in the API: `rootCause`. */
  readonly field: string
  /**
   * The option's name, without leading dashes: `root-cause`. List items are given one by one: `files` by
   * `--file`.
   */
  readonly flag: string
  readonly description: string
  readonly required: boolean
  readonly shape: Field['shape']
  /** Whether the text after the kind fills this field. */
  readonly main: boolean
}

const kebab = (name: string) => name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)

/** Whether the field takes a text rather than a name, by its own schema. */
function takesText({ shape, schema }: Field): boolean {
  return shape === 'string' && schema.safeParse('x'.repeat(LIMITS.nameCharacters + 1)).success
}

/** The field that the text fills: the first required text field, else the first text field. */
function mainField(fields: readonly (readonly [string, Field])[]): string | undefined {
  const texts = fields.filter(([, field]) => takesText(field))
  return (texts.find(([, { required }]) => required) ?? texts[0])?.[0]
}

function flagOf(name: string, shape: Field['shape']): string {
  return shape === 'strings' ? kebab(name).replace(/s$/u, '') : kebab(name)
}

/** The options of a kind, made from its fields. A new kind needs no change here. */
export function kindOptions(kind: KindName): readonly KindOption[] {
  const definition = kindNamed(kind)
  const fields = Object.entries(definition.fields)
  const main = mainField(fields)
  return fields.map(([field, { shape, required, description }]) => ({
    field,
    // An option of all memories may have the same name, so a learning's own context is --context-text.
    flag: flagOf(nameInMemory(definition, field), shape),
    description,
    required,
    shape,
    main: field === main,
  }))
}
