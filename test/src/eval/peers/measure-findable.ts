import type { PeerStore } from './peer.ts'

const PROBES = 20
/** A memory that is not found by then counts as not findable. */
const GIVE_UP_MS = 10_000

/** A word for each digit: no text of a collection has these, so only the new memory answers. */
const SYLLABLES = ['ba', 'ke', 'di', 'fo', 'gu', 'la', 'me', 'ni', 'po', 'ru']

/**
 * Stores memories one after another, and searches for each by its own text until it is among the first ten.
 * @returns for each the milliseconds from the beginning of the write until the end of the search that found
 * it; null if one was not found in time
 */
export async function measureFindable(store: PeerStore): Promise<number[] | null> {
  const times: number[] = []
  for (let probe = 0; probe < PROBES; probe += 1) {
    const word = `z${[...String(probe + 1_000_000)].map((digit) => SYLLABLES[Number(digit)]).join('')}`
    const text = `The lighthouse keeper wrote down the word ${word}.`
    const id = `probe-${probe}`
    const started = performance.now()
    await store.store([{ id, text, input: { content: { note: { text } } } }])
    while (!(await store.search(text, 10)).includes(id))
      if (performance.now() - started > GIVE_UP_MS) return null
    times.push(performance.now() - started)
  }
  return times
}
