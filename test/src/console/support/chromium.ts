import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isBare, type Need } from '@daybook/runtime/testing/needs'

/** The one without windows first: the journeys took 98 s in it, and 142 s in the whole browser. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable']

/** The browser of the journeys: that of `DAYBOOK_TEST_CHROMIUM`, else the first one on the PATH; null if there is none. */
export const CHROMIUM: string | null = findChromium()

/** For suites that open the console. */
export const BROWSER: Need = {
  name: 'the console in a browser',
  problem:
    CHROMIUM === null
      ? 'no Chromium is installed here. Install it (Debian: apt-get install chromium-headless-shell), or name one in DAYBOOK_TEST_CHROMIUM.'
      : null,
}

function findChromium(): string | null {
  if (isBare()) return null
  const folders = (process.env.PATH ?? '').split(delimiter)
  const files = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return process.env.DAYBOOK_TEST_CHROMIUM ?? files.find((path) => existsSync(path)) ?? null
}
