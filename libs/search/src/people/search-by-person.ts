import { ValidationError } from '@daybook/memory/errors'
import { sql } from 'kysely'
import { checkLimit, checkQuery, LIMIT_MAX } from '../check-request.ts'
import { search } from '../search.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchAnswer } from '../search-request.ts'
import { mayMention, mentions, wordsOfName } from './mentions.ts'
import type { ListRequest } from './named.ts'

/** Words that a query takes for operators. */
const OPERATORS = new Set(['OR', 'AND', 'NOT'])

/** The longest name that is searched, in characters. */
const NAME_CHARACTERS = 255

/**
 * Memories that mention a person, those first that are most about them. A search by words and by meaning orders
 * them; a hit must have the name in its title or text, as whole words, whatever the accents and the case. It runs
 * on Postgres, which checks the name for all of the project's memories, not for the best candidates only.
 *
 * @throws ValidationError for a name without letters and digits, or a limit out of range
 */
export async function searchByPerson(
  parts: SearchParts,
  name: string,
  { filter, limit }: ListRequest,
): Promise<SearchAnswer> {
  checkLimit(limit)
  const words = wordsOfName(name)
  if (words.length === 0) throw new ValidationError('name', 'is empty: give a name to look for')
  if (name.length > NAME_CHARACTERS)
    throw new ValidationError('name', `is too long: the limit is ${NAME_CHARACTERS} characters`)
  // As it was given: ranking looks for capitals. Punctuation could be an operator.
  const given = name
    .normalize('NFC')
    .match(/[\p{L}\p{N}\p{M}]+/gu)
    ?.map((word) => (OPERATORS.has(word) ? word.toLowerCase() : word))
  const answer = await search(parts, {
    query: `about ${given?.join(' ')}`,
    filter,
    mode: 'HYBRID',
    engine: 'POSTGRES',
    // Postgres lets a few pass that do not have the name, such as one cut by a character that it does not know.
    limit: Math.min(limit + 10, LIMIT_MAX),
    // Who names the person is relevant, whatever the score.
    minScore: 0,
    also: mayMention(words),
  })
  const isMentioned = mentions(words)
  const hits = answer.hits.filter(({ memory }) => isMentioned(memory.state)).slice(0, limit)
  if (hits.length > 0) return { ...answer, hits }
  return { ...answer, hits, matchType: null, message: `No memory mentions "${name}".` }
}

/**
 * Memories of the category `emotion` by their meaning: "happy" finds joy. It runs on Postgres. Without an embedder it
 * finds words only, and says so.
 * @throws ValidationError
 */
export async function searchByEmotion(
  parts: SearchParts,
  emotion: string,
  { filter, limit }: ListRequest,
): Promise<SearchAnswer> {
  checkQuery('emotion', emotion)
  const answer = await search(parts, {
    query: emotion,
    filter,
    mode: 'HYBRID',
    engine: 'POSTGRES',
    limit,
    also: sql<boolean>`m.categories @> '{emotion}'`,
  })
  if (answer.hits.length > 0) return answer
  const hint = 'Only memories of the category emotion count.'
  return { ...answer, message: `No memory is about feeling "${emotion}". ${hint}` }
}
