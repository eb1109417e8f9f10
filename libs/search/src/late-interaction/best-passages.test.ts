import { describe, expect, it } from 'vitest'
import { bestPassage, type ChunkTokens } from './best-passages.ts'

/** A token for each four characters; the token in which `wanted` begins matches, and no other. */
function look(text: string, wanted: string, chunks: readonly ChunkTokens[]): string {
  const at = text.indexOf(wanted)
  let before = 0
  const matching = chunks.flatMap((chunk) => {
    const token = before + Math.floor(((at - chunk.start) * chunk.tokens) / (chunk.end - chunk.start))
    before += chunk.tokens
    return at >= chunk.start && at < chunk.end ? [token] : []
  })
  const { start, end } = bestPassage(text, chunks, (from, to) =>
    matching.some((token) => token >= from && token < to) ? 1 / (to - from) : 0,
  )
  return text.slice(start, end)
}

const chunk = (start: number, end: number) => ({ start, end, tokens: Math.ceil((end - start) / 4) })

const filler = (number: number) => `Sentence ${number} speaks of something else, at a length that is usual. `

const text = `${filler(1)}${filler(2)}The cat sleeps on the warm radiator all winter. ${filler(4)}${filler(5)}${filler(6)}`

describe('bestPassage', () => {
  it('is the sentence that matches best, and those after it that a snippet has room for', () => {
    const passage = look(text, 'cat', [chunk(0, text.length)])
    expect(passage).toMatch(/^The cat sleeps on the warm radiator all winter\. Sentence 4 .*Sentence 5/u)
    expect(passage).not.toContain('Sentence 6')
  })

  it('is found in whichever chunk has most of the sentence', () => {
    const middle = text.indexOf('radiator')
    const chunks = [chunk(0, middle), chunk(text.indexOf('The cat'), text.length)]
    expect(look(text, 'radiator', chunks)).toMatch(/^The cat/u)
    expect(look(text, 'Sentence 5', chunks)).toMatch(/^Sentence 5/u)
    expect(look(text, 'Sentence 1', chunks)).toMatch(/^Sentence 1/u)
  })

  it('is the whole text without chunks, or without a sentence', () => {
    expect(bestPassage(text, [], () => 1)).toEqual({ start: 0, end: text.length })
    expect(bestPassage(' \n ', [chunk(0, 3)], () => 1)).toEqual({ start: 0, end: 3 })
  })

  it('takes lines of a list for sentences', () => {
    const list = [
      '- milk',
      '- the blue notebook',
      '- nails',
      ...Array.from({ length: 60 }, (_, i) => `- item ${i}`),
    ].join('\n')
    expect(look(list, 'blue', [chunk(0, list.length)])).toMatch(/^- the blue notebook/u)
  })
})
