import { DaybookError, DivergedError, LimitExceededError, ValidationError } from '@daybook/memory/errors'
import {
  isDatabaseUnavailable,
  isRelationMissing,
  isStatementTimeout,
  whyUnavailable,
} from '@daybook/postgres/errors'
import type { GraphQLError } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import type { GatewayParts } from '../parts.ts'
import { RateLimitedError } from './key-budget.ts'
import { RETRYABLE } from './retryable.ts'

/**
 * Compares names, because a process that loads `graphql` as CommonJS and as ES module has two classes of it.
 */
function isGraphQLError(error: unknown): error is GraphQLError {
  return error instanceof Error && error.name === 'GraphQLError'
}

/** The error that we threw, inside the layers that GraphQL put around it. */
function origin(error: unknown): unknown {
  return isGraphQLError(error) && error.originalError != null ? origin(error.originalError) : error
}

function expected(error: DaybookError): GraphQLError {
  return createGraphQLError(error.message, {
    extensions: {
      code: error.code,
      retryable: RETRYABLE.has(error.code) || isPassingLimit(error),
      ...(error instanceof ValidationError ? { field: error.field } : {}),
      ...(error instanceof LimitExceededError ? { limit: error.limit, most: error.most } : {}),
      ...(error instanceof DivergedError ? { head: error.head, lastCommon: error.lastCommon } : {}),
      ...(error instanceof RateLimitedError ? tooFast(error) : {}),
    },
  })
}

/** Of these limits, a project is below again in a moment. */
const isPassingLimit = (error: DaybookError): boolean =>
  error instanceof LimitExceededError && ['requestsPerSecond', 'queuedTexts'].includes(error.limit)

/** Yoga takes the status and the headers from `http`, and sends the rest. */
const tooFast = ({ retryAfter }: RateLimitedError) => ({
  retryAfter,
  http: { status: 429, headers: { 'retry-after': String(retryAfter) } },
})

/**
 * Decides what a client sees of an error. Expected failures and GraphQL's own errors about the request pass
 * unchanged. For everything else the client learns only that it happened; the log has the rest.
 */
export function createMaskError({ logger }: GatewayParts) {
  return (error: unknown): Error => {
    const source = origin(error)
    const located = isGraphQLError(error) ? { path: error.path, nodes: error.nodes } : {}
    const toLocated = (masked: GraphQLError) =>
      createGraphQLError(masked.message, { ...located, extensions: masked.extensions } as never)
    if (source instanceof DaybookError) return toLocated(expected(source))
    if (isDatabaseUnavailable(source) || isStatementTimeout(source)) {
      logger.warn({ error: source }, 'the database cannot be used')
      return toLocated(expected(new DaybookError('UNAVAILABLE', whyUnavailable(source))))
    }
    // No projector has looked yet: it will mark the generation as unusable and have it rebuilt.
    if (isRelationMissing(source)) {
      logger.warn({ error: source }, 'the tables of a read model are missing')
      return toLocated(
        expected(
          new DaybookError(
            'UNAVAILABLE',
            'The search index lacks tables: it is made anew from the journal by itself. Try again in a moment; how far it is: daybook operations',
          ),
        ),
      )
    }
    // The outer error says which variable or field of the request is wrong.
    if (isGraphQLError(source)) return error as GraphQLError
    logger.error({ error: source }, 'a request failed unexpectedly')
    return toLocated(
      createGraphQLError('Something went wrong inside Daybook; its log says what', {
        extensions: { code: 'INTERNAL', retryable: false },
      }),
    )
  }
}
