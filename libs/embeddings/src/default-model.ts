import { withTokenBits } from './token-bits/token-bits.ts'

/** The default model for vectors and token bits, as known without loading it. */
export const DEFAULT_MODEL = { modelId: withTokenBits('all-MiniLM-L6-v2/fp32'), dimension: 384 } as const

/** The same model with products in whole numbers. Its vectors are others, so it is a model of its own. */
export const Q8_MODEL = { modelId: withTokenBits('all-MiniLM-L6-v2/q8'), dimension: 384 } as const
