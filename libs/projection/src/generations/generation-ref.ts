import { type SqlBool, sql } from 'kysely'

/** Names a generation of a projection. */
export interface GenerationRef {
  /** `pgvector`, `typesense` */
  readonly name: string
  readonly generation: number
}

/** A generation's rows, in a condition on a table that has the columns `projection` and `generation`. */
export const ofGeneration = ({ name, generation }: GenerationRef) =>
  sql<SqlBool>`projection = ${name} and generation = ${generation}`
