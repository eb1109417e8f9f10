import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import { CliError, EXIT } from '../command-line.ts'
import type { Connection } from '../settings.ts'
import { notFound, request } from './request.ts'

/** The help of an argument that `memoryId` reads. */
export const ID_HELP = 'its id, or how that begins: 4 digits or more, with or without the kind'

/** How the id of a memory begins: `3f2a91c`, `note:3f2a91c`. A whole id is longer. */
const BEGINNING = /^(?:[a-z]+:)?[0-9a-f]{4}[0-9a-f-]{0,31}$/iu

const ALIKE = queries.memoriesByPrefix('id title')

/** The most memories that an error names. */
const NAMED = 5

/**
 * The id of the memory that a person means. One given whole is returned as it is, without a request.
 * @param given an id, or the beginning of one
 * @throws CliError AMBIGUOUS_ID if several memories of the project have ids that begin so; RefusedError NOT_FOUND if none has
 */
export async function memoryId(connection: Connection, given: string): Promise<string> {
  if (!BEGINNING.test(given)) return given
  const { memoriesByPrefix: alike } = await request(connection, ALIKE, { prefix: given })
  const [first, ...others] = alike
  if (first === undefined) throw notFound(given)
  if (others.length === 0) return first.id
  throw new CliError(EXIT.failed, 'AMBIGUOUS_ID', `Several memories have an id that begins with "${given}"`, [
    ...alike.slice(0, NAMED).map(({ id, title }) => `${safeLine(id)}  ${safeLine(title)}`),
    alike.length > NAMED ? 'and others. Give more of its digits' : 'Give more of its digits',
  ])
}
