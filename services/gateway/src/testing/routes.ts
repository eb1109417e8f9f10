/** Paths that the gateway answers, and one like them. */
export const ROUTES: readonly string[] = [
  '/',
  '/graphql',
  '/graphql/key',
  '/graphql/graphiql-x.js',
  '/health',
  '/ready',
  '/metrics',
  '/journal/export',
  '/journal/import',
]
