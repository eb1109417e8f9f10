import type { ASTVisitor, GraphQLError, ValidationContext } from 'graphql'
import { createGraphQLError, type Plugin } from 'graphql-yoga'

/** Refuses `__schema` and `__type`. `__typename` stays: clients need it to tell the members of a union apart. */
function refuseIntrospection(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      if (node.name.value !== '__schema' && node.name.value !== '__type') return
      context.reportError(
        createGraphQLError(
          `"${node.name.value}" cannot be asked here: introspection is switched off (DAYBOOK_INTROSPECTION=on allows it). The schema is in services/gateway/schema.graphql`,
          { nodes: [node], extensions: { code: 'INTROSPECTION_OFF', http: { status: 403, spec: false } } },
        ),
      )
    },
  }
}

/**
 * Switches introspection off, and the names that GraphQL suggests for misspelt ones: they tell the schema too.
 */
export function withoutIntrospection(): Plugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(refuseIntrospection)
      return ({ result, setResult }) => setResult((result as readonly GraphQLError[]).map(withoutSuggestion))
    },
  }
}

const withoutSuggestion = ({ message, nodes, extensions }: GraphQLError): GraphQLError =>
  createGraphQLError(message.replace(/ Did you mean [^?]*\?/u, ''), {
    ...(nodes !== undefined && { nodes }),
    extensions,
  })
