import { builder } from '../builder.ts'

/**
 * An enum of our own words as GraphQL spells them: `retry-parked` is `RETRY_PARKED` there, and what resolvers give and get stays ours.
 * @param words all of them, with what each means where its name does not say it
 */
export function enumOfWords<Word extends string>(
  name: string,
  words: readonly Word[] | Readonly<Record<Word, string | null>>,
  description?: string,
) {
  const meanings = Object.entries<string | null>(
    Array.isArray(words) ? Object.fromEntries(words.map((word) => [word, null])) : words,
  )
  const values = meanings.map(([word, meaning]) => [
    word.toUpperCase().replaceAll('-', '_'),
    { value: word, ...(meaning !== null && { description: meaning }) },
  ])
  return builder.enumType(name, {
    ...(description !== undefined && { description }),
    values: Object.fromEntries(values) as Record<string, { value: Word }>,
  })
}
