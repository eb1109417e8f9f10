import { isDeepStrictEqual } from 'node:util'
import type { Entry, EntryPlace, Format } from './format.ts'

/** What is known of a configuration: its text, and the servers that it names. */
export interface Servers {
  readonly text: string
  readonly servers: Entry
}

/**
 * Reads the servers of a text.
 * @throws Error saying why it cannot be read
 */
export function readServers(format: Format, section: string, text: string): Servers {
  const servers = format.parse(text)[section] ?? {}
  if (!isObject(servers)) throw new Error(`"${section}" is not a group of servers`)
  return { text, servers }
}

/**
 * Sets an entry, or with null removes it. What the text says otherwise is compared before and after.
 * @throws Error if the edit would change more than the entry; the text has a form that the format does not know then
 */
export function edited(
  format: Format,
  place: EntryPlace,
  text: string,
  entry: Entry | null,
  withSection = false,
): string {
  const result = entry === null ? format.remove(text, place, withSection) : format.set(text, place, entry)
  const [before, after] = [format.parse(text), format.parse(result)]
  if (!isDeepStrictEqual(without(place, before), without(place, after))) throw new Error('more would change')
  const found = readServers(format, place.section, result).servers[place.name]
  if (!isDeepStrictEqual(plain(found), plain(entry ?? undefined))) throw new Error('the entry would differ')
  return result
}

/** All but the entry. An empty section is the same as none. */
function without({ section, name }: EntryPlace, whole: Entry): Entry {
  const { [section]: servers, ...rest } = whole
  if (!isObject(servers)) return plain(whole) as Entry
  const { [name]: _, ...others } = servers
  return plain(Object.keys(others).length === 0 ? rest : { ...rest, [section]: others }) as Entry
}

/** The value without the classes that parsers give objects and dates. */
const plain = (value: unknown): unknown =>
  value === undefined
    ? undefined
    : JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one)))

/** Whether a value is a group of named values. */
export const isObject = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
