import porter2 from 'wink-porter2-stemmer'

/**
 * The English stem of a lower-case word: Porter's second algorithm (snowballstem.org, `english`), which Typesense applies to
 * fields with `stem: true` and Postgres to its `english` texts. A word with other than ASCII letters is left as it is: the package
 * would cut those too, `naïve` to `naïv`.
 */
export const stem = (word: string): string => (/^[a-z]+$/.test(word) ? porter2(word) : word)
