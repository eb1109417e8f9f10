import { SETTINGS } from '@daybook/runtime/settings'
import { expect, test } from 'vitest'
import { readToolsets, TOOLSETS } from './toolsets.ts'

test('a choice is names with commas between them, or all', () => {
  expect(readToolsets(' People,core ')).toEqual(['core', 'people'])
  expect(readToolsets('core,all')).toEqual(TOOLSETS)
  for (const wrong of ['', ',', 'core,everything'])
    expect(() => readToolsets(wrong), wrong).toThrow(
      'choose among core, people, documents, files, ops, or all',
    )
})

test('the setting DAYBOOK_MCP_TOOLSETS knows these sets and all, and no other', () => {
  const { error } = SETTINGS.mcpToolsets.schema.safeParse('none of them')
  expect(error?.issues[0]?.message).toBe(`must be names among ${[...TOOLSETS, 'all'].join(', ')}`)
})
