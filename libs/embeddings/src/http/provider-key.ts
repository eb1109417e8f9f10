import { readFile } from 'node:fs/promises'
import { reasonOf } from '@daybook/runtime/reason-of'
import { EmbedderError } from '../embedder-error.ts'

/** A key from the environment, or the file that holds it. */
export interface KeySource {
  readonly apiKey?: string | undefined
  readonly apiKeyFile?: string | undefined
}

/**
 * The key to send, read anew from its file each time; undefined if none is set.
 * @throws EmbedderError `PROVIDER_REFUSED_KEY` if the file cannot be read or is empty
 */
export async function readKey({ apiKey, apiKeyFile }: KeySource): Promise<string | undefined> {
  if (apiKeyFile === undefined) return apiKey
  const failed = (reason: string) =>
    new EmbedderError(
      'PROVIDER_REFUSED_KEY',
      `The file of OPENAI_API_KEY_FILE holds no key: ${reason}. Write the key into ${apiKeyFile}, and nothing else`,
    )
  let key: string
  try {
    key = (await readFile(apiKeyFile, 'utf8')).trim()
  } catch (error) {
    throw failed(reasonOf(error))
  }
  if (key === '') throw failed('it is empty')
  return key
}
