/** The sizes that Daybook accepts. Characters are Unicode code points; bytes are UTF-8 bytes. */
export const LIMITS = {
  /** Keys, names, topics, titles, agents and contexts, in characters. */
  nameCharacters: 255,
  /** One text field, in bytes. */
  textBytes: 64 * 1024,
  /** The whole text of an indexed document, which is split into parts of `textBytes`. A request holds 1 MiB. */
  documentBytes: 960 * 1024,
  /** The parts of one document. Texts are cut in the second half of `textBytes`, so that a document has far fewer. */
  documentParts: 1_000,
  /** Labels of one memory. Categories have the same limits. */
  labels: 32,
  labelCharacters: 64,
  /** Metadata as JSON, in bytes. */
  metadataBytes: 16 * 1024,
  /** How deeply metadata may be nested. Parsers of other languages refuse much deeper nesting. */
  metadataDepth: 32,
  /** A list field such as a stash's files. */
  listItems: 256,
  listItemCharacters: 1024,
  importanceMax: 10,
  idempotencyKeyCharacters: 255,
  /** Memories in one `rememberMany`. */
  memoriesPerCall: 500,
} as const

/** The importance of a memory that is given none. */
export const DEFAULT_IMPORTANCE = 5
