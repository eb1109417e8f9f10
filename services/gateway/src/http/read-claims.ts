import type { IncomingHttpHeaders } from 'node:http'
import { check } from '@daybook/memory/check'
import { LIMITS } from '@daybook/memory/limits'
import { safeLine } from '@daybook/memory/safe-text'
import { characters, isBlank, oneLine, shortString } from '@daybook/memory/text-rules'
import type { Writer } from '@daybook/memory/writer'
import { readHeader } from './read-header.ts'

/** What a caller says of itself. Nothing proves it. */
export type Claims = Omit<Writer, 'key'>

/** The most characters that are kept of a client's name; those of browsers are longer. */
const CLIENT_CHARACTERS = 120

/**
 * Reads who says to be asking: the agent in `X-Daybook-Agent`, and the program in `X-Daybook-Client`, else in
 * `User-Agent`. A client's name that is too long is cut, because nobody chose it to be short.
 * @param given a header by its name in lower case
 * @throws ValidationError for an agent that no memory could have either
 */
export function readClaims(given: (name: string) => string | null): Claims {
  const agent = given('x-daybook-agent')
  const client = given('x-daybook-client') ?? given('user-agent')
  const named = agent === null ? '' : readHeader(agent)
  const shown = client === null ? '' : oneLine(safeLine(readHeader(client).toWellFormed()), CLIENT_CHARACTERS)
  return {
    ...(!isBlank(named) && {
      agent: check('X-Daybook-Agent', shortString(LIMITS.nameCharacters), named),
    }),
    ...(characters(shown) > 0 && { client: shown }),
  }
}

/** Those of a request. */
export const claimsOf = (headers: IncomingHttpHeaders): Claims =>
  readClaims((name) => headers[name]?.toString() ?? null)
