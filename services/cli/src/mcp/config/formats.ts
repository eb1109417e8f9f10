import type { Format, FormatName } from './format.ts'
import { jsonFormat } from './json-format.ts'
import { tomlFormat } from './toml-format.ts'

/** How each language is read and edited. */
export const FORMATS: Readonly<Record<FormatName, Format>> = { json: jsonFormat, toml: tomlFormat }
