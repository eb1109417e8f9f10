import { createHash } from 'node:crypto'
import type { InputOf } from '@daybook/api/graphql'

/** A short name for texts together: 32 hexadecimal digits of their SHA-256. */
export function hash(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32)
}

/** The texts of a list, or of one text with commas or spaces, as front matter has its tags. */
export function listOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[,\s]+/u) : []
  return [...new Set(list.map(String).map((one) => one.trim()))].filter((one) => one !== '')
}

/** A moment in seconds since 1970, as ChatGPT writes them, or as text; undefined if it is neither. */
export function momentOf(value: unknown): string | undefined {
  const date =
    typeof value === 'number' ? new Date(value * 1000) : typeof value === 'string' ? new Date(value) : null
  return date === null || Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Metadata without what is null or missing. */
export function metadataOf(values: Readonly<Record<string, unknown>>): InputOf<'JSON'> {
  const said = Object.entries(values).filter(([, value]) => value !== null && value !== undefined)
  return JSON.parse(JSON.stringify(Object.fromEntries(said))) as InputOf<'JSON'>
}

/** Whether a value is an object with names, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
