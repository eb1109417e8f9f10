import type { ContentOf, Fields } from './fields.ts'

/** What a kind of memory is: its fields, and how the texts that people and machines read are made from them. */
export interface Kind<F extends Fields = Fields> {
  /** Lower case, as it stands in ids and subjects. */
  readonly name: string
  readonly description: string
  readonly fields: F
  /** Its fields that every memory has under the same name, with the same value: a note's `text` is the memory's. */
  readonly sameInMemory: readonly (keyof F & string)[]
  /** The exact-match key that `recall` and `pop` look up; null where the memory has none. */
  key(content: ContentOf<F>): string | null
  /** What a person reads in a list; it is cut to one line. */
  title(content: ContentOf<F>): string
  /** What it says, without what it is called by; null where a memory has only a name or a summary. */
  body(content: ContentOf<F>): string | null
  /** The whole text that is searched. */
  text(content: ContentOf<F>): string
  /** The text that is embedded. */
  embeddedText(content: ContentOf<F>): string
}

/** Declares a kind; `text` is what is embedded, and the first line of it the title, unless said otherwise; no field is the memory's own. */
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
