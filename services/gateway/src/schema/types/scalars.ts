import { moment } from '@daybook/memory/text-rules'
import { Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import { builder } from '../builder.ts'

function parseMoment(value: unknown): string {
  const result = moment.safeParse(value)
  if (!result.success)
    throw createGraphQLError(
      `DateTime ${result.error.issues[0]?.message ?? 'is invalid'}, such as 2026-11-21T09:30:00Z`,
    )
  return result.data
}

builder.scalarType('DateTime', {
  description: 'A moment as RFC 3339. Answers are in UTC.',
  serialize: (value) => parseMoment(value),
  parseValue: parseMoment,
})

builder.scalarType('JSONValue', {
  description: 'Any JSON value: an object, a list, a string, a number, true or false. Only in answers.',
  serialize: (value) => value,
  parseValue: () => {
    throw createGraphQLError('JSONValue is for answers only')
  },
})

function parseObject(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw createGraphQLError('JSON must be an object')
  return value
}

builder.scalarType('JSON', {
  description: 'A JSON object.',
  serialize: (value) => value as object,
  parseValue: parseObject,
  parseLiteral: (node: ValueNode, variables) => {
    if (node.kind !== Kind.OBJECT) throw createGraphQLError('JSON must be an object')
    return parseObject(valueFromASTUntyped(node, variables))
  },
})
