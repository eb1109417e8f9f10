import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Embedder, Embedding } from './embedder.ts'
import { embedInChunks } from './embedders.ts'
import { bytesPerToken, hasTokenBits } from './token-bits/token-bits.ts'

const vectorsOf = (embeddings: readonly Embedding[]) => embeddings.map(({ vector }) => vector)
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
const largestDifference = (a: Float32Array, b: Float32Array) =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0)

const WORDS = 'the garden was quiet and old friends met there to talk about work rain and music'.split(' ')
const wordsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, i) => WORDS[(start + i * 7) % WORDS.length]).join(' ')

const AWKWARD_TEXTS = [
  '',
  ' \n\t ',
  '🎉',
  '👩‍👩‍👧‍👦'.repeat(15),
  '漢字仮名交じり文',
  '\u0000\u0001\u0007',
  '\ud800 alone',
  'alone \udc00',
  '[CLS] [SEP] [PAD]',
  'é́́'.repeat(20),
]

/** What every {@link Embedder} must do; runs on each implementation. */
export function describeEmbedder(name: string, start: () => Promise<Embedder>): void {
  describe(`${name} as an embedder`, () => {
    let embedder: Embedder
    beforeAll(async () => {
      embedder = await start()
    })
    afterAll(() => embedder.close())

    it('gives one vector a text, of its dimension and of length 1', async () => {
      const vectors = vectorsOf(await embedder.embed(['one', 'two words', ...AWKWARD_TEXTS]))
      expect(vectors).toHaveLength(2 + AWKWARD_TEXTS.length)
      for (const vector of vectors) {
        expect(vector).toBeInstanceOf(Float32Array)
        expect(vector).toHaveLength(embedder.dimension)
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      }
    })

    it('answers nothing with nothing', async () => {
      expect(await embedder.embed([])).toEqual([])
      expect(await embedder.chunk([])).toEqual([])
      expect(await embedInChunks(embedder, [])).toEqual([])
    })

    it('keeps the order, and gives the same vector alone and among others', async () => {
      const texts = Array.from({ length: 40 }, (_, i) => wordsFrom(i, 1 + ((i * 13) % 120)))
      const together = vectorsOf(await embedder.embed(texts))
      for (const i of [0, 7, 20, 39]) {
        const [alone] = vectorsOf(await embedder.embed([texts[i]!]))
        expect(largestDifference(alone!, together[i]!)).toBeLessThan(1e-5)
      }
      expect(largestDifference(together[3]!, together[4]!)).toBeGreaterThan(0.01)
    })

    it('finds shared words more similar than none', async () => {
      const [a, b, c] = vectorsOf(
        await embedder.embed(['rain in the garden', 'the garden in rain', 'quarterly tax report']),
      )
      expect(cosine(a!, b!)).toBeGreaterThan(cosine(a!, c!) + 0.2)
    })

    it('gives token bits and the question’s tokens if its id says so, and else neither', async () => {
      const [short, none] = await embedder.embed(['rain in the garden', ''])
      const { tokens } = await embedder.embedQuery('rain in the garden')
      const has = hasTokenBits(embedder.modelId)
      expect(short!.tokenBits?.length).toBe(has ? 4 * bytesPerToken(embedder.dimension) : undefined)
      expect(none!.tokenBits?.length).toBe(has ? 0 : undefined)
      expect(tokens?.words).toEqual(has ? ['rain', 'in', 'the', 'garden'] : undefined)
      expect(tokens?.states.length).toBe(has ? 4 * embedder.dimension : undefined)
    })

    it('gives a question’s tokens the states whose signs a text’s token bits are', async () => {
      const [embedding] = await embedder.embed(['rain in the garden'])
      const { tokens } = await embedder.embedQuery('rain in the garden')
      const states = tokens?.states ?? new Float32Array()
      for (let from = 0; from < states.length; from += embedder.dimension)
        expect(Math.hypot(...states.subarray(from, from + embedder.dimension))).toBeCloseTo(1, 5)
      const bitAt = (i: number) => (embedding!.tokenBits![i >> 3]! >> (i & 7)) & 1
      const different = [...states.keys()].filter((i) => bitAt(i) !== (states[i]! >= 0 ? 1 : 0))
      // The sums of a batch come in another order, so that a number next to 0 may change its sign.
      expect(different.filter((i) => Math.abs(states[i]!) > 1e-4)).toEqual([])
    })

    it('serves many callers at once', async () => {
      const texts = Array.from({ length: 30 }, (_, i) => wordsFrom(i, 5 + i))
      const expected = vectorsOf(await embedder.embed(texts))
      const answers = await Promise.all(
        texts.map(async (text, i) =>
          i % 2 ? embedder.embedQuery(text) : (await embedder.embed([text]))[0]!,
        ),
      )
      for (const [i, { vector }] of answers.entries()) {
        expect(largestDifference(vector, expected[i]!)).toBeLessThan(1e-5)
      }
    })

    it('lets a query overtake bulk texts', async () => {
      const finished: string[] = []
      const note = (what: string) => () => finished.push(what)
      const bulk = embedder.embed(Array.from({ length: 100 }, (_, i) => wordsFrom(i, 50))).then(note('bulk'))
      const query = embedder.embedQuery('where is my garden').then(note('query'))
      await Promise.all([bulk, query])
      expect(finished).toEqual(['query', 'bulk'])
    })

    it('rejects a bulk text over the limit and cuts a query', async () => {
      const text = wordsFrom(0, embedder.maxTokens + 50)
      await expect(embedder.embed(['short', text])).rejects.toMatchObject({ code: 'TEXT_TOO_LONG' })
      await expect(embedder.embed([text])).rejects.toThrow(String(embedder.maxTokens))
      expect((await embedder.embedQuery(text)).vector).toHaveLength(embedder.dimension)
    })

    it('leaves short texts whole and cuts long ones into overlapping chunks without gaps', async () => {
      const long = wordsFrom(0, 1000)
      const [short, spans] = await embedder.chunk(['a short text', long])
      expect(short).toEqual([{ start: 0, end: 12 }])
      expect(spans!.length).toBeGreaterThan(3)
      expect(spans![0]!.start).toBe(0)
      expect(spans!.at(-1)!.end).toBe(long.length)
      for (const [i, span] of spans!.slice(1).entries()) expect(span.start).toBeLessThan(spans![i]!.end)
    })

    it('embeds in chunks whatever comes', async () => {
      const texts = [...AWKWARD_TEXTS, wordsFrom(0, 600), '漢字'.repeat(400), '{"a":[1,2,3]},'.repeat(200)]
      const chunksOfTexts = await embedInChunks(embedder, texts)
      expect(chunksOfTexts).toHaveLength(texts.length)
      for (const [i, chunks] of chunksOfTexts.entries()) {
        expect(chunks[0]!.start).toBe(0)
        expect(chunks.at(-1)!.end).toBe(texts[i]!.length)
        for (const { vector } of chunks) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      }
    })

    it('closes: what is in flight and what comes later is rejected, twice is once', async () => {
      const closing = await start()
      const texts = Array.from({ length: 200 }, (_, i) => wordsFrom(i, 60))
      const outcome = closing.embed(texts).catch((error: unknown) => error)
      await closing.close()
      expect(await outcome).toMatchObject({ code: 'CLOSED' })
      await expect(closing.embed(['later'])).rejects.toMatchObject({ code: 'CLOSED' })
      await expect(closing.chunk(['later'])).rejects.toMatchObject({ code: 'CLOSED' })
      await closing.close()
    })
  })
}
