import { formatMemoryId } from './id.ts'
import { type KindName, kindNamed } from './kinds/index.ts'
import { safeLine } from './safe-text.ts'
import { oneLine } from './text-rules.ts'
import type { Writer } from './writer.ts'

/** Any JSON value, read-only. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/** A JSON object, read-only. */
export type JsonObject = { readonly [key: string]: JsonValue }

/** A kind's own fields. The kind decides what is in them (`kinds/`). */
export type Content = { readonly [field: string]: JsonValue }

/** What every memory may have besides its kind's own fields. */
export interface CommonFields {
  readonly agent: string | null
  readonly labels: readonly string[]
  readonly categories: readonly string[]
  /** 0 to 10. */
  readonly importance: number
  /** A namespace, such as the name of a repository or a conversation. */
  readonly context: string | null
  readonly metadata: JsonObject
  /** RFC 3339, UTC, like every moment in a state. */
  readonly occurredAt: string | null
  readonly expiresAt: string | null
  /** The plain id of a memory that this one replaces; absent or null if it replaces none. */
  readonly supersedes?: string | null
}

/**
 * The place of a document's part. A text that is too long for one memory is split into several: the first is
 * the document itself, with the caller's id, and the others name it.
 */
type DocumentPart = {
  /** The plain id of the document, which is the first part. */
  readonly document: string
  /** 1, 2, 3, … */
  readonly number: number
  /** How many parts there are. Only the first says so, or all would change when one is added. */
  readonly of?: number
  /** SHA-256 of the whole text, in hex, so that the document has a new version whichever part changes. First part only. */
  readonly digest?: string
}

/** A memory's whole state, as every event carries it. It is JSON all the way down. */
export interface MemoryState extends CommonFields {
  readonly id: string
  readonly kind: KindName
  readonly content: Content
  readonly createdAt: string
  readonly updatedAt: string
  /** When it was forgotten; null while it is remembered. */
  readonly forgottenAt: string | null
  /** Only in the parts of a long document. */
  readonly part?: DocumentPart
  /** Who last changed the content; absent if nobody knows (`authors.ts`). */
  readonly writtenBy?: Writer
  /** Another author: who has changed anything else since, else one whose words are left. Absent if there is none. */
  readonly editedBy?: Writer
  /**
   * Whose the texts are that `writtenBy` did not write, by their names in `changedFields`; null if nobody knows. Absent if that
   * one wrote all.
   */
  readonly textBy?: Readonly<Record<string, Writer | null>>
}

/** A state at a place in the journal. */
export interface Memory {
  readonly state: MemoryState
  readonly version: number
  readonly sequence: number
}

/** The id as clients see it: `insight:0192f0c1-…`. */
export function memoryIdOf(state: MemoryState): string {
  return formatMemoryId(state.kind, state.id)
}

/** The title: one line for people. A part of a long document says which it is. */
export function titleOf(state: MemoryState): string {
  const title = oneLine(kindNamed(state.kind).title(state.content))
  return state.part === undefined ? title : `${title} (part ${state.part.number})`
}

/** What the memory says, without its name; null if it has only a name or a summary. */
export function bodyOf(state: MemoryState): string | null {
  return kindNamed(state.kind).body(state.content)
}

/** The whole text that is searched. */
export function textOf(state: MemoryState): string {
  return kindNamed(state.kind).text(state.content)
}

/** The text that is embedded. */
export function embeddedTextOf(state: MemoryState): string {
  return kindNamed(state.kind).embeddedText(state.content)
}

/** The key that `recall` and `pop` look up exactly; null if it has none. */
export function keyOf(state: MemoryState): string | null {
  return kindNamed(state.kind).key(state.content)
}

/** Where a memory comes from. */
export interface Origin {
  readonly occurredAt: string | null
  readonly createdAt: string
  readonly context: string | null
  readonly agent: string | null
}

/** The day, the context and the agent of a memory, for a heading: `2023-05-08`, `in shop`, `by claude`. */
export const originFacts = ({ occurredAt, createdAt, context, agent }: Origin): readonly string[] => [
  (occurredAt ?? createdAt).slice(0, 10),
  ...(context === null ? [] : [`in ${safeLine(context)}`]),
  ...(agent === null ? [] : [`by ${safeLine(agent)}`]),
]
