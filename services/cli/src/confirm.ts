import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { CliError, UsageError } from './cli-error.ts'
import { EXIT } from './exit-codes.ts'

interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean }
}

/**
 * Asks a person before something is destroyed. With `yes` it does not ask.
 * @throws UsageError if there is no terminal to ask on, CliError if the answer is not yes
 */
export async function confirm(
  question: string,
  yes: boolean,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (yes) return
  if (input.isTTY !== true || output.isTTY !== true)
    throw new UsageError(`${question} There is no terminal to ask on.`, [
      'If you are sure, say so with --yes',
    ])
  const lines = createInterface({ input, output })
  // Ctrl-C and Ctrl-D close the prompt without an answer.
  const closed = new AbortController()
  lines.once('close', () => closed.abort())
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: closed.signal }).catch(() => '')
    if (/^y(?:es)?$/iu.test(answer.trim())) return
  } finally {
    lines.close()
  }
  throw new CliError(EXIT.failed, 'NOT_CONFIRMED', 'Nothing was changed.')
}
