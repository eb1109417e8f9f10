/** The default model for vectors, as known without loading it. */
export const DEFAULT_MODEL = { modelId: 'all-MiniLM-L6-v2/fp32', dimension: 384 } as const
