/** A value of a configuration, as a parser gives it: the whole, or the entry of a server. */
export type Entry = Readonly<Record<string, unknown>>

/** The languages that clients write their configurations in. JSON may have comments and trailing commas. */
export type FormatName = 'json' | 'toml'

/** Where an entry stands: in an object or table of the whole, under its name. */
export interface EntryPlace {
  readonly section: string
  readonly name: string
}

/**
 * Reads and edits a configuration as text. An edit changes what it must and leaves every other byte: comments, order, blanks.
 * Whoever edits compares what the text says before and after (`edited.ts`), so that a form which an edit does not know is refused.
 */
export interface Format {
  /** What the text says; an empty text says nothing. @throws Error saying where it cannot be read */
  readonly parse: (text: string) => Entry
  /** The text with the entry, in the place of the one of this name if there is one. */
  readonly set: (text: string, place: EntryPlace, entry: Entry) => string
  /** The text without the entry; without its section too, if `withSection` and nothing else is in it. */
  readonly remove: (text: string, place: EntryPlace, withSection: boolean) => string
  /** Whether the text says nothing, not even in a comment. */
  readonly isBlank: (text: string) => boolean
}
