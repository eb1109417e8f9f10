import { pause } from '@daybook/runtime/backoff'
import { columnsOf } from '../output/columns.ts'
import { renderError } from '../output/error.ts'
import { toJson } from '../output/json.ts'
import { print, printRaw } from '../output/print.ts'
import { wrap } from '../output/wrap.ts'
import type { Environment, GlobalOptions } from '../settings.ts'
import { readStatus, type Status, statusUnreachable } from './read-status.ts'
import { renderStatus } from './render-status.ts'

/** Moves the cursor to the upper left corner and clears the screen below it. */
const HOME = '\u001B[H\u001B[J'

/**
 * Shows the status repeatedly until Ctrl-C, even while the daemon is unavailable. With JSON, one object per
 * line.
 */
export async function watchStatus(
  options: GlobalOptions,
  environment: Environment,
  everySeconds: number,
): Promise<void> {
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  const redraws = process.stdout.isTTY === true && options.json !== true
  while (!ending.signal.aborted) {
    const text = await look(options, environment)
    if (redraws)
      process.stdout.write(
        `${HOME}${wrap(text, columnsOf(process.stdout))}\n\n${new Date().toISOString()}, every ${everySeconds} s; Ctrl-C ends\n`,
      )
    else if (options.json === true) printRaw(text)
    else print(`${text}\n`)
    await pause(everySeconds * 1_000, ending.signal)
  }
}

/** @throws UnauthorisedError, and other errors that do not go away by themselves */
async function look(options: GlobalOptions, environment: Environment): Promise<string> {
  const show = (status: Status) => (options.json === true ? toJson(status) : renderStatus(status, Date.now()))
  try {
    return show(await readStatus(options, environment))
  } catch (error) {
    const away = statusUnreachable(options, environment, error)
    if (away === null) throw error
    return options.json === true ? toJson(away) : renderError(error, false).text
  }
}
