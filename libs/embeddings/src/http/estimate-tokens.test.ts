import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startMiniLm } from '../minilm-embedder.ts'
import { testCacheDir } from '../testing/test-cache.ts'
import { chunkTokensFor, estimateTokens } from './http-embedder.ts'

const here = import.meta.dirname
const textsOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /\.(?:ts|md|json)$/u.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))

const OTHERS = [
  'Wir haben uns für diese Datenbank entschieden, weil jeder die Geschwindigkeitsbegrenzung kennt. ',
  'Мы решили использовать эту базу данных, потому что она надёжна и знакома всем. ',
  'قررنا استخدام قاعدة البيانات هذه لأنها موثوقة ومعروفة للجميع. ',
  'हमने इस डेटाबेस का उपयोग करने का निर्णय लिया क्योंकि यह विश्वसनीय है। ',
  '私たちはデータベースとしてポストグレスを使うことに決めました。',
  '우리는 데이터베이스로 포스트그레스를 사용하기로 결정했습니다. ',
  'เราตัดสินใจใช้ฐานข้อมูลนี้เพราะเชื่อถือได้และทุกคนคุ้นเคย ',
  '🎉👩‍👩‍👧‍👦🔥❤️‍🔥😀 ',
].map((text) => text.repeat(5))

it('is never below what MiniLM’s tokenizer counts, in code, prose and other languages', async () => {
  const embedder = await startMiniLm({ cacheDir: testCacheDir() })
  try {
    const texts = [here, join(here, '../../../../docs')].flatMap(textsOf).concat(OTHERS)
    // Pieces of which MiniLM would cut those that have more than 254 tokens, and its two special ones.
    const pieces = texts.flatMap((text) => chunksBelow(text, 254))
    expect(pieces.length).toBeGreaterThan(100)
    const spans = await embedder.chunk(pieces)
    expect(pieces.filter((_, i) => spans[i]!.length > 1)).toEqual([])
  } finally {
    await embedder.close()
  }
})

/** The longest pieces of at most so many estimated tokens. */
function chunksBelow(text: string, tokens: number): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const word of text.match(/\S{1,40}\s*/gu) ?? []) {
    if (estimateTokens(piece + word) > tokens) {
      pieces.push(piece)
      piece = ''
    }
    piece += word
  }
  return [...pieces, piece]
}

it('counts no white space, two letters as one token, and the bytes of all else', () => {
  expect(estimateTokens('')).toBe(0)
  expect(estimateTokens(' a ab abc\n')).toBe(1 + 1 + 2)
  expect(estimateTokens('42 €')).toBe(2 + 3)
  expect(estimateTokens('🎉')).toBe(4)
})

it('leaves a tenth free, and makes no chunk of pages', () => {
  expect(chunkTokensFor(256)).toBe(230)
  expect(chunkTokensFor(8_192)).toBe(512)
})
