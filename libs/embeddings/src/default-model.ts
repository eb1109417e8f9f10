/** The model that vectors are made with unless configured otherwise; known without loading it. */
export const DEFAULT_MODEL = { modelId: 'all-MiniLM-L6-v2/fp32', dimension: 384 } as const
