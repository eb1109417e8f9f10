import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The one without windows first: the journeys took 98 s in it, and 142 s in the whole browser. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable']

/**
 * The browser of the journeys: that of `DAYBOOK_TEST_CHROMIUM`, else the first one on the PATH. Null if there is none;
 * then the reason is printed, and it is an error with `DAYBOOK_TEST_REQUIRE=all`.
 */
export const CHROMIUM: string | null = findChromium()

function findChromium(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found =
    process.env.DAYBOOK_TEST_CHROMIUM ??
    NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
  if (found !== undefined) return found
  const problem =
    'the console: no Chromium is installed here. Install it (Debian: apt-get install chromium-headless-shell), or name one in DAYBOOK_TEST_CHROMIUM'
  if (process.env.DAYBOOK_TEST_REQUIRE === 'all') throw new Error(`Cannot test ${problem}`)
  console.warn(`\nNOT TESTED: ${problem}\n`)
  return null
}
