import type { DocumentNode, ExecutionArgs, GraphQLError } from 'graphql'
import type { RequestContext } from './request-context.ts'
import type { GraphQLServer } from './yoga.ts'

/** An operation as clients give it. */
export interface GivenOperation {
  readonly query: string
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

/** Yoga's own `execute` or `subscribe`, whose plugins check scopes, bound the work and mask errors. */
export type Run = (args: ExecutionArgs) => unknown

/** An operation that is ready to run. */
export interface PreparedOperation {
  readonly args: ExecutionArgs & { readonly contextValue: RequestContext }
  readonly execute: Run
  readonly subscribe: Run
}

/**
 * Parses and validates an operation that did not come over Yoga's own HTTP, with all of its plugins and limits.
 * @returns the errors if it is not valid
 * @throws what its plugins refuse before it runs, such as a document that is too long
 */
export async function prepareOperation(
  graphql: GraphQLServer,
  request: RequestContext,
  given: GivenOperation,
): Promise<PreparedOperation | readonly GraphQLError[]> {
  const enveloped = graphql.getEnveloped({ ...request, params: given })
  const { schema, execute, subscribe, contextFactory, parse, validate } = enveloped
  const document: DocumentNode = parse(given.query)
  const errors: readonly GraphQLError[] = validate(schema, document)
  if (errors.length > 0) return errors
  const args = {
    schema,
    operationName: given.operationName,
    document,
    variableValues: given.variables,
    contextValue: await contextFactory(),
  }
  return { args: args as unknown as PreparedOperation['args'], execute, subscribe }
}
