import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the console's files are, seen from a bundle: in the package `daybook`, and in images. */
const BESIDE_A_BUNDLE = ['../console', '../../console/dist']

/**
 * The folder with the built console (`scripts/bundle-console.mjs`).
 * @param given what `DAYBOOK_CONSOLE_DIR` says
 * @returns null if there is none: the gateway then serves no console
 */
export function findConsoleFolder(given: string | undefined, from: string = import.meta.url): string | null {
  const folders =
    given === undefined ? BESIDE_A_BUNDLE.map((one) => fileURLToPath(new URL(one, from))) : [given]
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? null
}
