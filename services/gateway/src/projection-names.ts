import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { TYPESENSE } from '@daybook/typesense/write/generation'

/** The projections there are. */
export const PROJECTIONS = [PGVECTOR, TYPESENSE] as const
