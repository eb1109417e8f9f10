import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases'
import { maxDirectivesPlugin } from '@escape.tech/graphql-armor-max-directives'
import { maxTokensPlugin } from '@escape.tech/graphql-armor-max-tokens'
import { createYoga } from 'graphql-yoga'
import { createContext, type Following } from '../context.ts'
import type { GatewayParts } from '../parts.ts'
import { schema } from '../schema/index.ts'
import { REQUEST_LIMITS } from '../schema/limits.ts'
import { bodyLimit } from './body-limit.ts'
import { boundWork } from './bound-work.ts'
import { checkScopes } from './check-scopes.ts'
import { cacheDocuments } from './document-cache.ts'
import { endWithError } from './end-with-error.ts'
import { withoutIntrospection } from './introspection.ts'
import type { KeyBudget } from './key-budget.ts'
import { createMaskError } from './mask-error.ts'
import type { RequestContext } from './request-context.ts'
import { traceOperations } from './trace-operations.ts'

/** Creates GraphQL over HTTP and SSE, with all limits on what a request may cost. */
export function createGraphQL(parts: GatewayParts & { readonly budget: KeyBudget }, following: Following) {
  const maskError = createMaskError(parts)
  return createYoga<RequestContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    batching: false,
    // `cacheDocuments` keeps them, and bounds what it keeps.
    parserAndValidationCache: false,
    // `cors.ts` answers for every route.
    cors: false,
    logging: false,
    maskedErrors: { maskError },
    // `graphiql-page.ts` serves it: Yoga would render its 9 MB again for each request, with inline scripts.
    graphiql: false,
    context: ({ access, ...request }) => {
      // The server has answered such requests with 401 before.
      if (access === null) throw new Error('a request without a key reached GraphQL')
      return createContext(parts, { access, ...request }, following)
    },
    plugins: [
      cacheDocuments(),
      bodyLimit(parts.config.httpLimits.requestTimeoutMs),
      traceOperations(),
      checkScopes(maskError),
      boundWork(parts, maskError, following),
      endWithError(maskError),
      ...(parts.config.introspection ? [] : [withoutIntrospection()]),
      maxTokensPlugin({ n: REQUEST_LIMITS.tokens }),
      maxAliasesPlugin({ n: REQUEST_LIMITS.aliases, allowList: [] }),
      maxDirectivesPlugin({ n: REQUEST_LIMITS.directives }),
    ],
  })
}

/** The GraphQL server that `createGraphQL` makes. */
export type GraphQLServer = ReturnType<typeof createGraphQL>
