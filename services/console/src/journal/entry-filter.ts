import type { JournalEntry } from '../api/journal.ts'

/** What events can be filtered by: the name of the parameter of the address, and of the entry's field. */
export const FILTER_FIELDS = ['type', 'kind', 'agent', 'context', 'actor'] as const
/** A field to filter by. */
export type FilterField = (typeof FILTER_FIELDS)[number]

/** The value that each field must have; without an entry any. */
export type EntryFilter = Readonly<Partial<Record<FilterField, string>>>

/** Reads the address. */
export const readFilter = (params: URLSearchParams): EntryFilter =>
  Object.fromEntries(
    FILTER_FIELDS.flatMap((field) => {
      const value = params.get(field)
      return value === null ? [] : [[field, value]]
    }),
  )

/** Whether an event has all values. */
export const matches = (filter: EntryFilter, entry: JournalEntry): boolean =>
  FILTER_FIELDS.every((field) => filter[field] === undefined || entry[field] === filter[field])

/** The values that the events have, by field, in alphabetical order. */
export function valuesOf(entries: readonly JournalEntry[]): Readonly<Record<FilterField, readonly string[]>> {
  return Object.fromEntries(
    FILTER_FIELDS.map((field) => [
      field,
      [...new Set(entries.flatMap((entry) => entry[field] ?? []))].toSorted((one, other) =>
        one.localeCompare(other),
      ),
    ]),
  ) as Record<FilterField, string[]>
}
