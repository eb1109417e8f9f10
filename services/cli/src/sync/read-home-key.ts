import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { UsageError } from '../cli-error.ts'
import { readText } from '../remember/read-text.ts'

interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable
}

/**
 * The key that opens the project at its home: as it was given, else from DAYBOOK_HOME_KEY, else asked for on a terminal,
 * which does not show it, else from standard input.
 * @throws UsageError if it is empty or none of Daybook's
 */
export async function readHomeKey(
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string> {
  const said = (given ?? environment['DAYBOOK_HOME_KEY'])?.trim()
  const key =
    said || (await (terminal.input.isTTY === true ? ask(terminal) : readText(terminal.input))).trim()
  if (!/^[!-~]{1,255}$/u.test(key))
    throw new UsageError('No key of the home was given, or it is none of Daybook’s (dbk_…)', [
      'Make one at the home:  daybook keys create <name> --project <name> --scope read,write,follow',
      'Give it as DAYBOOK_HOME_KEY, on standard input, or here when you are asked',
    ])
  return key
}

/** Asks for a line, which readline writes nowhere. */
function ask({ input, output }: Terminal): Promise<string> {
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input, output: nowhere, terminal: true })
  output.write('The key of the home (it is not shown): ')
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.close()
    })
    // Ctrl-C and Ctrl-D.
    lines.once('close', () => {
      output.write('\n')
      resolve('')
    })
  })
}
