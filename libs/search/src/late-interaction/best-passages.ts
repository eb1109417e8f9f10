import type { TextSpan } from '@daybook/embeddings/embedder'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import { yieldToEventLoop } from '@daybook/runtime/yield-to-event-loop'
import { sql } from 'kysely'
import { nearMatch } from '../ranking/late/token-rows.ts'
import type { RetrieverInput } from '../retrievers/retriever-input.ts'
import { bestPassage, type ChunkTokens } from './best-passage.ts'
import type { RankedByTokens } from './rank-by-tokens.ts'

/** A text of so many characters is shown whole. */
const SHORT_TEXT = 200

interface Row extends ChunkTokens {
  readonly memory_id: string
}

/**
 * The passages of long texts that match the question best, by memory.
 *
 * @param ranking of the question
 * @param memories the hits, as they are now; short ones are left out of the result
 */
export async function bestPassages(
  { scope, readModel }: RetrieverInput,
  { question, scorer, bytes, modelId, stored }: RankedByTokens,
  memories: ReadonlyMap<string, Memory>,
): Promise<Map<string, TextSpan>> {
  const passages = new Map<string, TextSpan>()
  const texts = new Map([...memories].map(([id, { state }]) => [id, embeddedTextOf(state)]))
  const long = [...texts].flatMap(([id, text]) => (text.length > SHORT_TEXT ? [id] : []))
  if (long.length === 0) return passages
  // `offset 0` makes each memory, and each text, a lookup by its key.
  const { rows } = await sql<Row>`
    select given.memory_id, c.span_start as start, c.span_end as "end", c.tokens
    from unnest(${long}::uuid[]) as given(memory_id) cross join lateral (
      select content_hash from ${readModel.tables.memories} one
      where one.project_id = ${scope.projectId} and one.memory_id = given.memory_id offset 0
    ) m cross join lateral (
      select chunk, span_start, span_end, tokens from embedding_chunks
      where project_id = ${scope.projectId} and model_id = ${modelId} and content_hash = m.content_hash offset 0
    ) c order by given.memory_id, c.chunk`.execute(scope.db)
  const chunksOf = new Map<string, ChunkTokens[]>(long.map((id) => [id, []]))
  for (const row of rows) chunksOf.get(row.memory_id)?.push(row)
  const turns = yieldToEventLoop()
  for (const id of long) {
    const bits = stored.get(id)?.bits ?? null
    const chunks = chunksOf.get(id) ?? []
    const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0)
    // A text that was embedded again meanwhile has other chunks than bits.
    if (bits === null || bits.length !== tokens * bytes) continue
    const span = bestPassage(texts.get(id) ?? '', chunks, (from, to) =>
      nearMatch(question, [
        { best: scorer.match(bits.subarray(from * bytes, to * bytes)), tokens: to - from },
      ]),
    )
    passages.set(id, span)
    await turns()
  }
  return passages
}
