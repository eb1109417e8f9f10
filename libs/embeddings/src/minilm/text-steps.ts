/**
 * Text (UTF-16 units) that is read in one step: 30 ms of English, 110 ms of Chinese to tokenise, so a query that comes
 * in between waits no longer than for a batch of the model. One longer text is still one step.
 */
const TEXT_PER_STEP = 64 * 1024

/** Visits each text in order, and yields whenever it is time to let others in. */
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
