import type { TextSpan } from '@daybook/embeddings/embedder'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { yieldToEventLoop } from '@daybook/runtime/yield-to-event-loop'
import { sql } from 'kysely'
import { nearMatch } from '../ranking/late/token-rows.ts'
import { bestPassage, type ChunkTokens } from './best-passage.ts'
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
  { db, projectId }: ProjectScope,
  { bits, hashes, bytes, modelId }: RankedByTokens,
  memoryIds: readonly string[],
): Promise<ChunksOfTexts> {
  const long = memoryIds.flatMap((id) => {
    const hash = hashes.get(id)
    const tokens = (bits.get(hash ?? '')?.length ?? 0) / bytes
    return hash !== undefined && tokens > SHORT_IN_TOKENS ? [hash] : []
  })
  const texts = [...new Set(long)]
  if (texts.length === 0) return new Map()
  // `offset 0` makes each text a lookup by its key.
  const { rows } = await sql<Row>`
    select given.place::int, c.span_start as start, c.span_end as "end", c.tokens
    from unnest(${texts.map((hash) => `\\x${hash}`)}::bytea[]) with ordinality as given(content_hash, place) cross join lateral (
      select chunk, span_start, span_end, tokens from embedding_chunks
      where project_id = ${projectId} and model_id = ${modelId} and content_hash = given.content_hash offset 0
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
  { question, scorer, bytes, hashes, bits }: RankedByTokens,
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
      nearMatch(question, [
        { best: scorer.match(ofText.subarray(from * bytes, to * bytes)), tokens: to - from },
      ]),
    )
    passages.set(id, span)
    await turns()
  }
  return passages
}
