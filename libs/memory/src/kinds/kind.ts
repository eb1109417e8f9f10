import type { ContentOf, Fields } from './fields.ts'

/** A kind of memory: its fields, and the texts for people and machines that are made from them. */
export interface Kind<F extends Fields = Fields> {
  /** Lower case, as in ids and subjects. */
  readonly name: string
  readonly description: string
  readonly fields: F
  /**
   * Fields that every memory has under the same name, with the same value: a note's `text` is the memory's
   * `text`.
   */
  readonly sameInMemory: readonly (keyof F & string)[]
  /** The key that `recall` and `pop` look up exactly; null if the memory has none. */
  key(content: ContentOf<F>): string | null
  /** What a person reads in a list, cut to one line. */
  title(content: ContentOf<F>): string
  /** What the memory says, without its name; null if it has only a name or a summary. */
  body(content: ContentOf<F>): string | null
  /** The whole text that is searched. */
  text(content: ContentOf<F>): string
  /** The text that is embedded. */
  embeddedText(content: ContentOf<F>): string
}

/**
 * Declares a kind. Defaults: `text` is also the embedded text, and its first line the title; no key; no field
 * is the same in the memory.
 */
export function kind<const F extends Fields>(
  definition: Pick<Kind<F>, 'name' | 'description' | 'fields' | 'body' | 'text'> &
    Partial<Pick<Kind<F>, 'key' | 'title' | 'embeddedText' | 'sameInMemory'>>,
): Kind<F> {
  return {
    key: () => null,
    sameInMemory: [],
    title: definition.text,
    embeddedText: definition.text,
    ...definition,
  }
}
