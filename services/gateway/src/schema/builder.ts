import type { JsonValue } from '@daybook/memory/state'
import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import DataloaderPlugin from '@pothos/plugin-dataloader'
import ErrorsPlugin from '@pothos/plugin-errors'
import RelayPlugin from '@pothos/plugin-relay'
import type { FragmentDefinitionNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import type { Context } from '../context.ts'
import { LIST_COST, REQUEST_LIMITS } from './limits.ts'

/** The builder with which every type of the API registers. */
export const builder = new SchemaBuilder<{
  Context: Context
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: string; Output: string }
    JSON: { Input: object; Output: object }
    JSONValue: { Input: JsonValue; Output: JsonValue }
  }
}>({
  plugins: [ErrorsPlugin, RelayPlugin, DataloaderPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  errors: { defaultTypes: [] },
  // Memories make their own ids, of kind and UUID; queries accept them with or without the kind.
  relay: { nodeQueryOptions: false, nodesQueryOptions: false, cursorType: 'String' },
  complexity: {
    defaultComplexity: 1,
    defaultListMultiplier: LIST_COST,
    limit: { complexity: REQUEST_LIMITS.cost, depth: REQUEST_LIMITS.depth, breadth: REQUEST_LIMITS.breadth },
    complexityError: (kind, result) => {
      const [what, asked, limit] = {
        Complexity: ['costly', result.complexity, REQUEST_LIMITS.cost],
        Depth: ['deep', result.depth, REQUEST_LIMITS.depth],
        Breadth: ['broad', result.breadth, REQUEST_LIMITS.breadth],
      }[kind] as [string, number, number]
      return createGraphQLError(
        `The query is too ${what}: ${asked} where the limit is ${limit}. Ask for less at a time.`,
        {
          extensions: { code: 'QUERY_TOO_COSTLY', limit, http: { status: 400 } },
        },
      )
    },
  },
})

builder.queryType()

builder.mutationType()

builder.subscriptionType()

/**
 * Whether the request asks for a field of the object that is being resolved. A field that `@skip` leaves out counts
 * as asked for.
 */
export function selects({ fieldNodes, fragments }: GraphQLResolveInfo, field: string): boolean {
  return fieldNodes.some(
    ({ selectionSet }) => selectionSet !== undefined && holds(selectionSet, field, fragments),
  )
}

function holds(
  { selections }: SelectionSetNode,
  field: string,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
): boolean {
  return selections.some((selection) => {
    if (selection.kind === 'Field') return selection.name.value === field
    const set =
      selection.kind === 'InlineFragment'
        ? selection.selectionSet
        : fragments[selection.name.value]?.selectionSet
    return set !== undefined && holds(set, field, fragments)
  })
}
