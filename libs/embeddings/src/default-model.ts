import { withTokenBits } from './token-bits/token-bits.ts'

/** The default model for vectors and token bits, as known without loading it. */
export const DEFAULT_MODEL = { modelId: withTokenBits('all-MiniLM-L6-v2/fp32'), dimension: 384 } as const
