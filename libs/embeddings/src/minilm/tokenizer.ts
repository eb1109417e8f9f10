/** Turns a text into token ids, with the model's special tokens at both ends. */
export type Tokenize = (text: string) => number[]

/**
 * Counts the tokens of a word without special tokens, and remembers the counts of short words: in English
 * prose more than half of all words are repeats. When full, it forgets everything, which is simpler than
 * evicting.
 */
export function createWordCounter(tokenize: Tokenize): (word: string) => number {
  const MAX_WORDS = 20_000
  const MAX_LENGTH = 32
  const counts = new Map<string, number>()
  const specialTokens = tokenize('').length

  return (word) => {
    if (word.length > MAX_LENGTH) return tokenize(word).length - specialTokens
    let count = counts.get(word)
    if (count === undefined) {
      count = tokenize(word).length - specialTokens
      if (counts.size >= MAX_WORDS) counts.clear()
      counts.set(word, count)
    }
    return count
  }
}

/** Marks a piece that continues a word, as BERT's tokenizer writes it. */
const CONTINUES = '##'

const continues = (piece: string): boolean => piece.startsWith(CONTINUES)

/** The word that each piece belongs to. @param pieces of a text, in order */
export function wordsOf(pieces: readonly string[]): string[] {
  const words: string[] = []
  for (let start = 0; start < pieces.length; ) {
    let end = start + 1
    while (end < pieces.length && continues(pieces[end]!)) end += 1
    const word = pieces
      .slice(start, end)
      .map((piece, i) => (i > 0 ? piece.slice(CONTINUES.length) : piece))
      .join('')
    for (; start < end; start += 1) words.push(word)
  }
  return words
}

/**
 * How much text one step reads (in UTF-16 units): 110 ms for Chinese, so that a query waits no longer than
 * for a batch of the model. A single longer text is still one step.
 */
const TEXT_PER_STEP = 64 * 1024

/** Visits each text in order, and yields whenever others should get a turn. */
export function* inSteps(
  texts: readonly string[],
  visit: (text: string, index: number) => void,
): Generator<void, void> {
  let read = 0
  for (const [index, text] of texts.entries()) {
    visit(text, index)
    read += text.length
    if (read < TEXT_PER_STEP) continue
    read = 0
    yield
  }
}
