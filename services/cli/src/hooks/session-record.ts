import { relative } from 'node:path'
import { safeLine } from '@daybook/memory/safe-text'
import { shorten } from '../output/shorten.ts'
import { maskSecrets } from './mask-secrets.ts'
import type { Transcript } from './read-transcript.ts'

/** What is remembered of a session. */
export interface SessionRecord {
  readonly summary: string
  readonly keyChanges: readonly string[]
}

/** The most requests and files that are kept, and the characters of one. */
const [REQUESTS, REQUEST_CHARACTERS] = [12, 240]
const [FILES, FILE_CHARACTERS] = [50, 500]
/** What a mask may have to look at, so that a pasted file takes no time. A secret is not cut in two at a place that is kept. */
const LOOKED_AT = 4_000

/**
 * What can be said of a session without a language model: what the user asked for, in the user's words, and which files were changed.
 * What looks like a secret is masked.
 * @returns null if nothing was asked and nothing changed
 */
export function recordOf(
  { requests, files }: Transcript,
  { title, folder }: { readonly title: string; readonly folder: string },
): SessionRecord | null {
  if (requests.length === 0 && files.length === 0) return null
  const [first, ...others] = requests.map(sayRequest).filter((request) => request !== '')
  const last = others.slice(-(REQUESTS - 1))
  const more = others.length - last.length
  const lines = [
    first === undefined ? `${title} changed ${files.length} files.` : `${title} was asked: ${first}`,
    ...(more === 0 ? [] : [`(${more} more)`]),
    ...last.map((request) => `then: ${request}`),
  ]
  const changed = files.slice(0, FILES).map((file) => `changed ${sayFile(file, folder)}`)
  const rest = files.length - changed.length
  return {
    summary: lines.join('\n'),
    keyChanges: rest === 0 ? changed : [...changed, `changed ${rest} more files`],
  }
}

const sayRequest = (request: string): string =>
  shorten(safeLine(maskSecrets(request.slice(0, LOOKED_AT))), REQUEST_CHARACTERS, 0)

/** A path below the folder without it. */
function sayFile(file: string, folder: string): string {
  const below = relative(folder, file)
  const said = below === '' || below.startsWith('..') ? file : below
  return shorten(safeLine(maskSecrets(said)), FILE_CHARACTERS, 0)
}
