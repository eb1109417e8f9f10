import { type SqlBool, sql } from 'kysely'

/** Names a generation of a projection. */
export interface GenerationRef {
  /** `pgvector`, `typesense` */
  readonly name: string
  readonly generation: number
}

/** A condition on a table with the columns `projection` and `generation`: the generation's rows. */
export const ofGeneration = ({ name, generation }: GenerationRef) =>
  sql<SqlBool>`projection = ${name} and generation = ${generation}`
