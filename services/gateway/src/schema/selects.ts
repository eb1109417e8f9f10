import type { FragmentDefinitionNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql'

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
