import { enumValue } from '@daybook/api/graphql'
import { builder } from '../builder.ts'

/**
 * Makes a GraphQL enum of our words: `retry-parked` becomes `RETRY_PARKED`. Resolvers take and return our own
 * words.
 * @param words all words, with descriptions for those that need one
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
    enumValue(word),
    { value: word, ...(meaning !== null && { description: meaning }) },
  ])
  return builder.enumType(name, {
    ...(description !== undefined && { description }),
    values: Object.fromEntries(values) as Record<string, { value: Word }>,
  })
}
