import type { TravellingVectors } from '@daybook/embeddings/travelling-vectors'
import { shortString } from '@daybook/memory/text-rules'
import { z } from 'zod'

/** Texts that a follower asks about at a time. */
export const MOST_TEXTS = 200

const sha256 = z.string().regex(/^[0-9a-f]{64}$/u)

/** The form of a request for vectors: of a model, by content hash. */
export const vectorsAsked = z.strictObject({
  modelId: shortString(255),
  hashes: z.array(sha256).max(MOST_TEXTS),
})

/** The form of the answer: of those texts that the home has embedded. */
export const vectorsAnswered = z.object({
  texts: z.array(
    z.object({
      hash: sha256,
      tokenBits: z.base64().nullable(),
      chunks: z.array(
        z.object({
          start: z.int32().min(0),
          end: z.int32().min(0),
          tokens: z.int32().min(0),
          vector: z.string().regex(/^\[[-+.,\deE]+\]$/u),
        }),
      ),
    }) satisfies z.ZodType<TravellingVectors>,
  ),
})
