import { COMMON_FIELD_NAMES } from '@daybook/memory/common-fields'
import { isInputObjectType, isInterfaceType } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../index.ts'

const fieldsOf = (name: string) => {
  const type = schema.getType(name)
  return isInputObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : []
}

test.each(['Memory', 'RememberInput', 'ReviseInput'])('%s has the fields of all memories', (name) => {
  expect(fieldsOf(name)).toEqual(expect.arrayContaining([...COMMON_FIELD_NAMES]))
})
