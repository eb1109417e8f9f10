import { basename, dirname } from 'node:path'
import { isInProportion } from '@daybook/runtime/testing/growth'
import { AutoTokenizer, env } from '@huggingface/transformers'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TextSpan } from '../embedder.ts'
import { testCacheDir } from '../testing/test-cache.ts'
import { createChunker } from './chunk-text.ts'
import { prepareMiniLm } from './prepare.ts'
import type { Tokenize } from './tokenizer.ts'

const MAX_TOKENS = 256

describe('createChunker with MiniLM', () => {
  let tokenize: Tokenize
  let chunk: (text: string) => TextSpan[]
  beforeAll(async () => {
    const { modelPath } = await prepareMiniLm({ cacheDir: testCacheDir() })
    env.localModelPath = dirname(modelPath)
    env.allowRemoteModels = false
    const tokenizer = await AutoTokenizer.from_pretrained(basename(modelPath))
    tokenize = (text) => tokenizer.encode(text)
    chunk = createChunker(tokenize, { maxTokens: MAX_TOKENS, overlapTokens: 32 })
  })

  function expectGoodChunks(text: string): TextSpan[] {
    const spans = chunk(text)
    expect(spans[0]!.start).toBe(0)
    expect(spans.at(-1)!.end).toBe(text.length)
    for (const [i, { start, end }] of spans.entries()) {
      expect(tokenize(text.slice(start, end)).length).toBeLessThanOrEqual(MAX_TOKENS)
      const next = spans[i + 1]
      if (!next) continue
      expect(next.start).toBeGreaterThan(start)
      expect(next.start).toBeLessThanOrEqual(end)
      expect(next.end).toBeGreaterThan(end)
    }
    return spans
  }

  it('covers any text without gaps, and every chunk fits', () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom(
        'the',
        'Straße',
        'ΟΔΟΣ',
        '漢字仮名',
        '한국어',
        '👩‍👩‍👧',
        '\ud800',
        '[SEP]',
        '\u0000',
        '\n',
        ' ',
        'İ',
        '﷽',
        "don't",
      ),
    )
    const text = fc
      .tuple(
        fc.array(word, { maxLength: 80 }),
        fc.constantFrom('', ' ', '-', '\t'),
        fc.integer({ min: 1, max: 30 }),
      )
      .map(([words, separator, times]) => words.join(separator).repeat(times))
    fc.assert(
      fc.property(text, (value) => void expect(expectGoodChunks(value).length).toBeGreaterThan(0)),
      { numRuns: 150 },
    )
  })

  it('leaves a text that just fits whole, and cuts it one token later', () => {
    const fits = Array.from({ length: MAX_TOKENS - 2 }, () => 'word').join(' ')
    expect(chunk(fits)).toEqual([{ start: 0, end: fits.length }])
    expect(chunk(`${fits} word`)).toHaveLength(2)
  })

  it('overlaps by about 32 tokens and cuts between words', () => {
    const text = Array.from({ length: 600 }, (_, i) => (i % 2 ? 'garden' : 'rain')).join(' ')
    const [first, second] = expectGoodChunks(text)
    expect(tokenize(text.slice(second!.start, first!.end)).length - 2).toBe(32)
    expect(text.slice(first!.end - 1, first!.end)).toBe(' ')
  })

  it('cuts inside a word that is too long, but not inside a character', () => {
    for (const giant of [
      '漢字仮名交文'.repeat(200),
      '{"id":17,"tags":["a","b"]},'.repeat(80),
      '😀,'.repeat(500),
    ]) {
      const spans = expectGoodChunks(giant)
      expect(spans.length).toBeGreaterThan(2)
      for (const { start } of spans) expect(giant.slice(start, start + 1)).not.toMatch(/^[\udc00-\udfff]/)
    }
  })

  it.each([
    ['English', 'The quick brown fox jumps over the lazy dog, again. '],
    ['Chinese', '漢字仮名交文'],
    ['base64', 'QWxhZGRpbjpvcGVu/'],
    ['one letter', 'a'],
    ['control characters', '\u0001'],
    ['white space', ' \n'],
    ['emoji', '😀🎉'],
  ])('is fast on 64 KiB of %s', async (_, unit) => {
    const text = unit.repeat(Math.ceil(65_536 / unit.length)).slice(0, 65_536)
    expect(await isInProportion(chunk, text)).toBe(true)
    expect(chunk(text).at(-1)!.end).toBe(text.length)
  })
})
