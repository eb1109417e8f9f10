/** The sizes that Daybook accepts. Characters are Unicode code points; bytes are of UTF-8. */
export const LIMITS = {
  /** Keys, names, topics, titles, agents and contexts, in characters. */
  nameCharacters: 255,
  /** One text field, in bytes. */
  textBytes: 64 * 1024,
  /** Labels, and likewise categories, of one memory. */
  labels: 32,
  labelCharacters: 64,
  /** Metadata as JSON, in bytes. */
  metadataBytes: 16 * 1024,
  /** How deeply metadata may be nested: parsers of other languages refuse far deeper ones. */
  metadataDepth: 32,
  /** A list field such as a stash's files. */
  listItems: 256,
  listItemCharacters: 1024,
  importanceMax: 10,
  idempotencyKeyCharacters: 255,
  /** Memories in one `rememberMany`. */
  memoriesPerCall: 500,
} as const

/** The importance of a memory that was not given one. */
export const DEFAULT_IMPORTANCE = 5
