/** Words joined by signs, as code, paths, addresses and names have them. */
const RUN = /[A-Za-z\d]+(?:[-_./\\@:]+[A-Za-z\d]+)*/gu

/** Where paths, addresses and calls are cut: their parts are names of their own. */
const SEPARATOR = /[./\\@:]+/u

const JOINED_BY = /[-_]+/u

/** The words within `newCheckoutV2`, `HTTPServer`, `ER34615` of a text. */
const WITHIN = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/gu

/** Those of a question: who asks for `test12` or `ER34615` means no other number. */
const WITHIN_ASKED = /[A-Z]+\d*(?![a-z])|[A-Z]?[a-z]+\d*|\d+/gu

/** With digits at two places among letters it is an id: `0ab12cd34ef56` has no words within. */
const ID = /\d[A-Za-z]+\d/u

/** What `day-words.ts` makes. */
const DAY_WORD = /^day\d{8}$/u

/** Longer ones, and those of more parts, are not names that somebody asks for by half. */
const LONGEST_NAME = 40
const MOST_PARTS = 8

/** The most characters of further words for one text. Beyond that, names are found only as they are written. */
const PARTS_LENGTH = 64 * 1024

/** `1,250`, `1.250`, `12'500`. */
const GROUPED_NUMBER = /(?<![\d.,'’])\d{1,3}(?:(?:,\d{3})+|(?:\.\d{3})+|(?:['’]\d{3})+)(?![\d]|[.,]\d{3})/gu

/**
 * Further words by which the names in a text are found: the parts of `useAuthStore`, `new_checkout` and `src/auth.ts`, what its
 * first or last parts make together (`AuthStore`), the whole without its hyphens, as another spelling has it (`newcheckout`,
 * `b12`), and numbers without the signs between thousands.
 *
 * Takes time linear in the length of the text.
 *
 * @param halves whether to make the joined first and last parts, and to part letters from digits. Only texts need that: a question
 * says what it wants
 */
export function wordParts(text: string, halves: boolean): string {
  const words = [...text.matchAll(GROUPED_NUMBER)].map(([number]) => number.replaceAll(/\D/gu, ''))
  for (const [run] of text.matchAll(RUN)) {
    if (!/[A-Za-z]/u.test(run) || DAY_WORD.test(run)) continue
    const names = run.split(SEPARATOR)
    for (const name of names) {
      if (names.length > 1) words.push(name)
      words.push(...partsOf(name, halves))
    }
  }
  const all = words.join(' ')
  return all.length <= PARTS_LENGTH ? all : all.slice(0, all.lastIndexOf(' ', PARTS_LENGTH))
}

/** `B-12`, `edge-lon-02`, `snake_case`, `--no-verify`, `2.16.0`. */
const NAMED_EXACTLY =
  /(?<![\w.-])(?:--[a-z][\w-]+|(?=[\w-]*[A-Za-z])(?=[\w-]*[\d_])[A-Za-z\d]+(?:[-_][A-Za-z\d]+)*|\d+(?:\.\d+){2,})(?![\w-]|\.\w)/gu

/** The beginning of an id, as people shorten them, or a whole one: letters and digits alone. */
export const ID_BEGINNING = /^(?=.*\d)(?=.*[a-z])[a-z\d]{5,}$|^\d{6,}$/u

/**
 * The names in a question that are spelled exactly or not at all, as `wordParts` makes one word of each. Those that may be the
 * beginning of a longer one are left out.
 */
export const exactNames = (text: string): string[] =>
  (text.match(NAMED_EXACTLY) ?? [])
    .filter((name) => !ID_BEGINNING.test(name.toLowerCase()))
    .map((name) => name.replaceAll(/[-_]/gu, '').toLowerCase())

function partsOf(name: string, halves: boolean): string[] {
  if (name.length > LONGEST_NAME || !/[A-Za-z]/u.test(name)) return []
  const pieces = name.split(JOINED_BY)
  const within = pieces.map((piece) =>
    ID.test(piece) ? [piece] : (piece.match(halves ? WITHIN : WITHIN_ASKED) ?? [piece]),
  )
  const all = within.flat()
  if (all.length < 2 || all.length > MOST_PARTS) return []
  // Postgres finds the pieces between hyphens itself.
  const parts = within.flatMap((ofPiece) =>
    ofPiece.length > 1 ? ofPiece.filter(({ length }) => length > 1) : [],
  )
  const whole = pieces.length > 1 ? [all.join('')] : []
  const joined = halves
    ? all.flatMap((_, at) => (at > 1 ? [all.slice(0, at).join(''), all.slice(all.length - at).join('')] : []))
    : []
  return [...parts, ...joined, ...whole]
}
