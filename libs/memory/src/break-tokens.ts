/**
 * The longest run of characters without a blank, in characters, that stays whole. Longer runs are split.
 * Paths, addresses and names that people write are shorter.
 */
export const LONGEST_RUN = 100

/**
 * Every `<`, and every run that is too long. Only ASCII blanks end a run: some locales of Postgres take other
 * blanks for letters.
 */
const TO_BREAK = new RegExp(`<|[^\\x00-\\x20<]{${LONGEST_RUN + 1},}`, 'gu')

/**
 * Characters that join the parts of a long token and make the parser read the rest again for each part. It
 * reads points and hyphens only once.
 */
const JOINER = /[^\p{L}\p{M}\p{N}.-]/gu

/**
 * Rewrites a text so that Postgres' parser reads it in time proportional to its length. Everything that goes
 * to `to_tsvector`, `ts_headline` or a query must pass through here. Texts and questions must be treated
 * alike, or they would not match.
 *
 * At each part of `a_a_a_…`, the parser checks whether the rest is a file name, an address or a host, and
 * each check reads to the end of the token. The same holds for `@`, `/` and `~`; and after `<!--` it looks
 * for the end of the comment in the whole text. A text of 32 KB took 30 s
 * (docs/measurements.md#postgres-parser-on-long-tokens).
 *
 * So runs of more than 100 characters lose the characters that join their parts. Each part becomes a word, as
 * the parts of `snake_case` are anyway. Every `<` goes, too. That also makes the words of `Map<String, Key>`
 * findable, which the parser takes for markup.
 *
 * @param joint what replaces a joiner; for a text that is shown, a function that keeps it
 */
export function breakTokens(text: string, joint: (joiner: string) => string = () => ' '): string {
  return text.replace(TO_BREAK, (run) => (run === '<' ? joint(run) : run.replace(JOINER, joint)))
}
