import { readFileSync } from 'node:fs'
import { graphql, textOf } from '@daybook/api/graphql'
import { KIND_NAMES, kindNamed } from '@daybook/memory/kinds/index'
import { MEMORY_FIELD_NAMES } from '@daybook/memory/kinds/name-in-memory'
import { assertInterfaceType, buildSchema, parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { MEMORY, type Memory } from './memory.ts'
import { memoryContent, withContent } from './memory-content.ts'

const served = buildSchema(
  readFileSync(new URL('../../../../services/gateway/schema.graphql', import.meta.url), 'utf8'),
)

describe('the selection of a memory', () => {
  const query = textOf(
    graphql('{ memory(id: "x") { ...Memory ...MemoryContent } }', [MEMORY, memoryContent()]),
  )

  test('is valid in the served schema', () => {
    expect(validate(served, parse(query))).toEqual([])
  })

  test('names every field of every kind, with few aliases as the daemon limits them', () => {
    for (const kind of KIND_NAMES)
      for (const field of Object.keys(kindNamed(kind).fields)) expect(query).toContain(field)
    expect(query.match(/\w+: \w+/gu)?.length ?? 0).toBeLessThan(15)
  })
})

test('own fields come back under content, in the form of the input', () => {
  const common = {
    id: 'todo:1',
    kind: 'TODO',
    title: 'buy',
    text: 'buy\nat the shop',
    context: 'home',
    labels: [],
  }
  const answer = { ...common, description: 'buy', contextText: 'at the shop', resolvedAt: null }
  expect(withContent(answer as unknown as Memory)).toEqual({
    ...common,
    content: { todo: { description: 'buy', context: 'at the shop' } },
  })
})

test('a field that kinds define differently is told apart', () => {
  const answer = { id: 'fact:1', kind: 'FACT', title: 's', text: 's', summary: 's', fact_content: 'long' }
  expect(withContent(answer as unknown as Memory).content).toEqual({
    fact: { summary: 's', content: 'long' },
  })
})

test('what every memory has is what the served interface has', () => {
  const memory = assertInterfaceType(served.getType('Memory'))
  expect([...MEMORY_FIELD_NAMES].toSorted()).toEqual(Object.keys(memory.getFields()).toSorted())
})
