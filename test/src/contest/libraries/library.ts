import type { Peer } from '../../eval/peers/peer.ts'
import type { Vectors } from '../../eval/peers/vectors.ts'

/** What a library of the contest is started with, in a process of its own (`../host.ts`). */
export interface LibrarySetup {
  /** For its files. What an earlier process left there is to be used again. */
  readonly folder: string
  /** The Postgres that was started for it; only pgvector has one. */
  readonly databaseUrl?: string | undefined
  /** A package of `../package.json`. */
  load<Package>(name: string): Package
  readonly vectors: Vectors
}

/** Opens it: a store for each group, with what an earlier process kept of it. */
export type OpenLibrary = (setup: LibrarySetup) => Promise<Pick<Peer, 'open' | 'close'>>

/** The words of a question that say something, in lower case, each once, for peers that know nothing but words. */
export function tellingWords(question: string): string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const telling = [...new Set(words)].filter((word) => !STOP_WORDS.has(word))
  return telling.length > 0 ? telling : [...new Set(words)]
}

/** The ids with the most distinct words first, at most `limit`; others in the order in which they came. */
export function mostWords(found: Iterable<readonly [id: string, word: string]>, limit: number): string[] {
  const words = new Map<string, Set<string>>()
  for (const [id, word] of found) words.set(id, (words.get(id) ?? new Set()).add(word))
  const ranked = [...words].toSorted(([, a], [, b]) => b.size - a.size)
  return ranked.slice(0, limit).map(([id]) => id)
}

const STOP_WORDS = new Set(
  'a about all am an and any are as at be been but by can could did do does for from had has have he her his how i if in is it its me my no not of on or our she so than that the their them then there they this to was we were what when where which who whom why will with would you your'.split(
    ' ',
  ),
)
