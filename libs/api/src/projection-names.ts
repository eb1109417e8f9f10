/* The projections that the API knows, written by `npm run schema`. */
export const PROJECTION_NAMES = ['PGVECTOR', 'TYPESENSE'] as const
