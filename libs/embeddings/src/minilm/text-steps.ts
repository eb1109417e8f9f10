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
