/** Names a generation of a projection. */
export interface GenerationRef {
  /** `pgvector`, `typesense` */
  readonly name: string
  readonly generation: number
}
