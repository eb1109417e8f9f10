import { withTokenBits } from './token-bits/token-bits.ts'

/** The default model's vectors alone, without token bits: of generations that an older version has built. */
export const MODEL_WITHOUT_TOKEN_BITS = { modelId: 'all-MiniLM-L6-v2/fp32', dimension: 384 } as const

/** The default model for vectors and token bits, as known without loading it. */
export const DEFAULT_MODEL = {
  modelId: withTokenBits(MODEL_WITHOUT_TOKEN_BITS.modelId),
  dimension: MODEL_WITHOUT_TOKEN_BITS.dimension,
} as const
