/**
 * A run of characters without a blank that is longer than this is taken apart. Paths, addresses and names that people write are
 * shorter, and go to the parser as they are.
 */
export const LONGEST_RUN = 100

/** Every `<`, and every run that is too long. What other blanks there are, some locales of Postgres take for letters. */
const TO_BREAK = new RegExp(`<|[^\\x00-\\x20<]{${LONGEST_RUN + 1},}`, 'gu')

/** What can join parts of a long token so that the parser goes over it again for each. Points and hyphens are read once. */
const JOINER = /[^\p{L}\p{M}\p{N}.-]/gu

/**
 * A text that Postgres' parser reads in time proportional to its length. Everything that goes to `to_tsvector`, `ts_headline`
 * or a query must have been through this, texts and questions alike, or the two would not find each other.
 *
 * The parser tries at each part of `a_a_a_…` whether the rest is the name of a file, an address or a host, and reads on to the
 * end of the token to see that it is not: 8 KB took 1.1 s, 32 KB 30 s. The same holds for `@`, `/` and `~`, and for `<!--`, after
 * which it looks for the comment's end in all of the text. So a run of more than 100 characters loses what joins its parts,
 * each of which is then a word of its own, as the parts of `snake_case` are anyway; and every `<` goes, which also lets the
 * words of `Map<String, Key>` be found, that the parser takes for markup.
 *
 * @param joint what takes the place of a joiner; in a text that is shown, a function that keeps it
 */
export function breakTokens(text: string, joint: (joiner: string) => string = () => ' '): string {
  return text.replace(TO_BREAK, (run) => (run === '<' ? joint(run) : run.replace(JOINER, joint)))
}
