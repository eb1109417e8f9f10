import porter2 from 'wink-porter2-stemmer'

/**
 * The English stem of a lower-case word by the Porter2 algorithm (snowballstem.org, `english`). Typesense
 * applies it to fields with `stem: true`, Postgres to its `english` texts. Words with letters outside ASCII
 * are left unchanged, because the package would wrongly shorten them: `naïve` to `naïv`.
 */
export const stem = (word: string): string => (/^[a-z]+$/.test(word) ? porter2(word) : word)
