import { COMMON_FIELD_NAMES } from '@daybook/memory/common-fields'
import type { Field } from '@daybook/memory/kinds/fields'
import type { KindName } from '@daybook/memory/kinds/index'
import { kindNamed } from '@daybook/memory/kinds/index'
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

function flagOf(field: string, shape: Field['shape']): string {
  // What all memories have is an option of the same name already: a learning's own context is --context-text.
  if ((COMMON_FIELD_NAMES as readonly string[]).includes(field)) return `${kebab(field)}-text`
  return shape === 'strings' ? kebab(field).replace(/s$/u, '') : kebab(field)
}

/** The options of a kind, made from its fields, so that a new kind needs nothing here. */
export function kindOptions(kind: KindName): readonly KindOption[] {
  const fields = Object.entries(kindNamed(kind).fields)
  const main = mainField(fields)
  return fields.map(([field, { shape, required, description }]) => ({
    field,
    flag: flagOf(field, shape),
    description,
    required,
    shape,
    main: field === main,
  }))
}
