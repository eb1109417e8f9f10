import { complexityFromQuery } from '@pothos/plugin-complexity'
import { BREAK, type DocumentNode, type GraphQLSchema, getOperationAST, Kind, visit } from 'graphql'
import { REQUEST_LIMITS } from '../schema/limits.ts'

/** What every request costs, so that a flood of empty ones has a limit too: it is read, parsed and checked. */
export const REQUEST_COST = 50

/** What a question about the schema costs beside its fields, which the analysis takes for few. */
export const INTROSPECTION_COST = 500

/** What an export or import costs beside its events: as much as the costliest query. */
export const JOURNAL_COST = REQUEST_LIMITS.cost

/**
 * The cost of the operation that will run, by the same analysis that limits a single query.
 * @returns 0 for what will be refused before it runs: too costly, or with wrong variables
 */
export function costOfOperation(
  schema: GraphQLSchema,
  { document, operationName, variables }: Operation,
): number {
  const operation = getOperationAST(document, operationName)
  if (operation == null) return 0
  // The analysis takes a document's first operation, which need not be the one that runs.
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  try {
    const { complexity } = complexityFromQuery(
      { ...document, definitions: [operation, ...fragments] },
      { schema, variables: { ...variables } },
    )
    return complexity > REQUEST_LIMITS.cost
      ? 0
      : complexity + (isIntrospection(document) ? INTROSPECTION_COST : 0)
  } catch {
    return 0
  }
}

function isIntrospection(document: DocumentNode): boolean {
  let found = false
  visit(document, {
    Field({ name: { value } }) {
      if (value !== '__schema' && value !== '__type') return undefined
      found = true
      return BREAK
    },
  })
  return found
}

interface Operation {
  readonly document: DocumentNode
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}
