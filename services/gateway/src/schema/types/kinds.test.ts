import { getNamedType, isLeafType, isObjectType, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../index.ts'

const memory = schema.getType('Memory')
const kinds = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter((type) => type.getInterfaces().some((one) => one === memory))

test('a hit’s fields can be selected of all kinds at once, without aliases', () => {
  const fragments = kinds.map((kind) => {
    const fields = Object.values(kind.getFields()).filter(({ type }) => isLeafType(getNamedType(type)))
    return `... on ${kind.name} { ${fields.map(({ name }) => name).join(' ')} }`
  })
  const query = `{ search(query: "x") { hits { memory { content ${fragments.join(' ')} } } } }`
  expect(kinds).toHaveLength(11)
  expect(validate(schema, parse(query))).toEqual([])
})

test('no kind’s object hides what a program has by that name', () => {
  expect(kinds.map(({ name }) => name)).toContain('ErrorMemory')
  expect(schema.getType('Error')).toBeUndefined()
})
