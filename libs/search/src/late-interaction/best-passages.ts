import type { TextSpan } from '@daybook/embeddings/embedder'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import { yieldToEventLoop } from '@daybook/runtime/timers'
import { sql } from 'kysely'
import { nearMatch } from '../ranking/late/token-rows.ts'
import type { SearchRun } from '../search-run.ts'
import type { RankedByTokens } from './rank-by-tokens.ts'

/** A text of so many characters is shown whole. */
const SHORT_TEXT = 200

/** A text of so few tokens is taken for short before it is read. */
const SHORT_IN_TOKENS = 20

/** Where hits' texts were cut into chunks, by hash. */
export type ChunksOfTexts = ReadonlyMap<string, readonly ChunkTokens[]>

interface Row extends ChunkTokens {
  readonly place: number
}

/**
 * Reads where the texts of hits were cut into chunks; of short texts it reads nothing. Needs no text, so it can run while
 * the hits are read.
 */
export async function readChunks(
  { scope: { db, projectId }, generation }: Pick<SearchRun, 'scope' | 'generation'>,
  { bits, hashes, tokens: { bytes } }: RankedByTokens,
  memoryIds: readonly string[],
): Promise<ChunksOfTexts> {
  const long = memoryIds.flatMap((id) => {
    const hash = hashes.get(id)
    const count = (bits.get(hash ?? '')?.length ?? 0) / bytes
    return hash !== undefined && count > SHORT_IN_TOKENS ? [hash] : []
  })
  const texts = [...new Set(long)]
  if (texts.length === 0) return new Map()
  // `offset 0` makes each text a lookup by its key.
  const { rows } = await sql<Row>`
    select given.place::int, c.span_start as start, c.span_end as "end", c.tokens
    from unnest(${texts.map((hash) => `\\x${hash}`)}::bytea[]) with ordinality as given(content_hash, place) cross join lateral (
      select chunk, span_start, span_end, tokens from embedding_chunks
      where project_id = ${projectId} and model_id = ${generation.modelId} and content_hash = given.content_hash offset 0
    ) c order by given.place, c.chunk`.execute(db)
  const chunks = new Map<string, ChunkTokens[]>(texts.map((hash) => [hash, []]))
  for (const row of rows) chunks.get(texts[row.place - 1] ?? '')?.push(row)
  return chunks
}

/**
 * The passages of long texts that match the question best, by memory.
 *
 * @param ranking of the question
 * @param chunks of the texts
 * @param memories the hits, as they are now; short ones are left out of the result
 */
export async function bestPassages(
  { weightedTokens, tokens: { scorer, bytes }, hashes, bits }: RankedByTokens,
  chunksOf: ChunksOfTexts,
  memories: ReadonlyMap<string, Memory>,
): Promise<Map<string, TextSpan>> {
  const passages = new Map<string, TextSpan>()
  const turns = yieldToEventLoop()
  for (const [id, { state }] of memories) {
    const text = embeddedTextOf(state)
    if (text.length <= SHORT_TEXT) continue
    const hash = hashes.get(id) ?? ''
    const ofText = bits.get(hash)
    const chunks = chunksOf.get(hash) ?? []
    const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0)
    // A text that was embedded again meanwhile has other chunks than bits.
    if (ofText === undefined || tokens === 0 || ofText.length !== tokens * bytes) continue
    const span = bestPassage(text, chunks, (from, to) =>
      nearMatch(weightedTokens, {
        best: scorer.match(ofText.subarray(from * bytes, to * bytes)),
        tokens: to - from,
      }),
    )
    passages.set(id, span)
    await turns()
  }
  return passages
}

/** A chunk of a text, as it was embedded, and how many tokens the model made of it. */
export interface ChunkTokens extends TextSpan {
  readonly tokens: number
}

/** A passage is made of whole sentences until it has as many characters as a snippet shows. */
const PASSAGE_LENGTH = 150

/**
 * Finds the sentence of a text whose tokens match the question best, and the sentences after it that a snippet
 * has room for.
 *
 * The model does not say where in the text a token was, so a sentence's tokens are taken for as large a part
 * of its chunk's tokens as its characters are of the chunk's characters.
 *
 * @param chunks of the text in order; without any, the whole text is returned
 * @param scoreOf how well some consecutive tokens match. Tokens are counted from the text's first, through all
 *   chunks; `to` is exclusive
 */
export function bestPassage(
  text: string,
  chunks: readonly ChunkTokens[],
  scoreOf: (from: number, to: number) => number,
): TextSpan {
  const sentences = sentencesOf(text)
  let best = { index: -1, score: Number.NEGATIVE_INFINITY }
  for (const [index, sentence] of sentences.entries()) {
    const range = tokensOf(sentence, chunks)
    const score = range === null ? Number.NEGATIVE_INFINITY : scoreOf(range.from, range.to)
    if (score > best.score) best = { index, score }
  }
  const first = sentences[best.index]
  if (first === undefined) return { start: 0, end: text.length }
  let { end } = first
  for (const sentence of sentences.slice(best.index + 1)) {
    if (end - first.start >= PASSAGE_LENGTH) break
    end = sentence.end
  }
  return { start: first.start, end }
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The sentences of a text. Intl knows sentences; a line of a list or a heading is one here, too. */
function sentencesOf(text: string): TextSpan[] {
  const sentences: TextSpan[] = []
  for (const { index, segment } of segmenter.segment(text))
    if (segment.trim() !== '') sentences.push({ start: index, end: index + segment.length })
  return sentences
}

/** The tokens of a span, in the chunk that has most of it; null if none has any. */
function tokensOf(span: TextSpan, chunks: readonly ChunkTokens[]): { from: number; to: number } | null {
  let best = { shared: 0, from: 0, to: 0 }
  let before = 0
  for (const chunk of chunks) {
    const start = Math.max(span.start, chunk.start)
    const end = Math.min(span.end, chunk.end)
    if (end - start > best.shared && chunk.tokens > 0) {
      const perCharacter = chunk.tokens / (chunk.end - chunk.start)
      const from = Math.min(Math.floor((start - chunk.start) * perCharacter), chunk.tokens - 1)
      const to = Math.max(Math.ceil((end - chunk.start) * perCharacter), from + 1)
      best = { shared: end - start, from: before + from, to: before + Math.min(to, chunk.tokens) }
    }
    before += chunk.tokens
  }
  return best.shared === 0 ? null : best
}
