import type { Embedder } from '@daybook/embeddings/embedder'
import { embedInChunks } from '@daybook/embeddings/embedders'
import { planBatches } from '@daybook/embeddings/minilm/model'
import { createRandom } from '../src/support/random.ts'
import { median, printComparison } from './bench.ts'
import { createVocabulary, sentence } from './generated-texts.ts'

/** The model without all that we put around it: no worker, no pooling, no token bits. */
export interface ModelAlone {
  tokenize(text: string): readonly number[]
  /** One run on texts that are padded to the longest. */
  run(batch: readonly (readonly number[])[]): Promise<void>
}

/** As the worker's (`libs/embeddings/src/minilm/worker.ts`). */
const BATCH = { maxPaddedTokens: 512, maxTexts: 32 }

/** What is not the model may take so much of its time. */
const GOAL = 0.85

interface Texts {
  readonly title: string
  readonly texts: readonly string[]
}

/** Short, long, and a conversation of `messages` messages of 700 tokens, which are cut into parts that overlap. */
function generate(messages: number): Texts[] {
  const random = createRandom(23)
  const word = createVocabulary(random)
  const list = (count: number, least: number, most: number) =>
    Array.from({ length: count }, () => sentence(random, word, least, most))
  return [
    { title: 'short texts', texts: list(400, 4, 8) },
    { title: 'long texts', texts: list(40, 85, 95) },
    { title: `a conversation of ${messages} long messages`, texts: list(messages, 310, 350) },
  ]
}

/** Wall clock and processor time of all threads, in seconds. */
async function measured(work: () => Promise<unknown>): Promise<{ wall: number; processor: number }> {
  const [started, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { wall: (performance.now() - started) / 1000, processor: (user + system) / 1e6 }
}

/**
 * Prints for each length of text the tokens a second of our embedders, of the first one's model alone, and of all the
 * processor time that a token takes. The sides take turns.
 *
 * @param embedders by their names; the first is compared
 */
export async function compareLengths(
  embedders: Readonly<Record<string, Embedder>>,
  alone: ModelAlone,
  { rounds, messages }: { readonly rounds: number; readonly messages: number },
): Promise<void> {
  for (const { title, texts } of generate(messages)) {
    const [first] = Object.values(embedders)
    const spans = await first!.chunk(texts)
    const parts = spans.flatMap((cuts, i) => cuts.map(({ start, end }) => texts[i]!.slice(start, end)))
    const items = parts.map((part) => ({ ids: alone.tokenize(part) }))
    const batches = planBatches(items, BATCH).map((batch) => batch.map(({ ids }) => ids))
    const tokens = texts.reduce((sum, text) => sum + alone.tokenize(text).length, 0)
    const inParts = items.reduce((sum, { ids }) => sum + ids.length, 0)
    const padded = batches.reduce((sum, batch) => sum + batch.length * batch[0]!.length, 0)

    const sides: Record<string, () => Promise<unknown>> = {
      'the model alone': async () => {
        for (const batch of batches) await alone.run(batch)
      },
    }
    for (const [name, embedder] of Object.entries(embedders))
      sides[name] = () => embedInChunks(embedder, texts)
    const times: Record<string, { wall: number; processor: number }[]> = {}
    for (let round = 0; round < rounds; round += 1)
      for (const [name, side] of Object.entries(sides)) (times[name] ??= []).push(await measured(side))

    const walls = (name: string) => times[name]!.map(({ wall }) => wall)
    const describe = (name: string) => {
      const each = times[name]!.map(({ processor }) => (processor * 1e6) / tokens)
      const [usual, best] = [median(walls(name)), Math.min(...walls(name))]
      return `${(tokens / usual).toFixed(0)} tokens/s, at best ${(tokens / best).toFixed(0)}; ${median(each).toFixed(0)} µs of processor time a token`
    }
    const [ours, ...others] = Object.keys(embedders) as [string, ...string[]]
    printComparison({
      title: `${title}: ${texts.length} texts, ${tokens} tokens, ${parts.length} parts, median of ${rounds}`,
      ours: { label: ours, value: describe(ours) },
      theirs: { label: 'the model alone', value: describe('the model alone') },
      ratio: median(walls('the model alone').map((wall, round) => wall / walls(ours)[round]!)),
      goal: { atLeast: GOAL },
    })
    for (const name of others) {
      const ratio = median(walls(ours).map((wall, round) => wall / walls(name)[round]!))
      console.log(`  ${name}: ${describe(name)}; ${ratio.toFixed(2)} times as fast as ${ours}`)
    }
    const share = (part: number) => `${((part - 1) * 100).toFixed(1)} %`
    console.log(
      `  more tokens for overlaps ${share(inParts / tokens)}, for padding ${share(padded / inParts)}`,
    )
  }
}
