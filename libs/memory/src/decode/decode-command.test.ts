import { expect, it } from 'vitest'
import { ValidationError } from '../errors.ts'
import { decodeCommand } from './decode-command.ts'

const ID = '01920000-0000-7000-8000-0000000000ab'
const content = { kind: 'note', fields: { text: 'a' } }
const COMMANDS = [
  { type: 'remember', id: ID, input: { content } },
  { type: 'remember', id: ID, input: { content, labels: ['a'], onExisting: 'REJECT', furtherParts: [] } },
  { type: 'revise', id: ID, input: { importance: 7 } },
  { type: 'revise', id: ID, expectedVersion: 1, input: { content: null, context: null } },
  { type: 'forget', id: ID, expectedVersion: 3 },
  { type: 'restore', id: ID, version: 1, expiresAt: null },
  { type: 'resolveTodo', id: ID },
  { type: 'undo', id: ID, toVersion: 0, expectedVersion: 2 },
  { type: 'expire', id: ID },
]

const fieldOf = (command: unknown): string => {
  try {
    decodeCommand(command)
  } catch (error) {
    if (error instanceof ValidationError) return error.field
    throw error
  }
  return 'taken'
}

it.each(COMMANDS)('takes $type as it is: %j', (command) => {
  expect(decodeCommand(command)).toEqual(command)
})

it('gives ids in lower case', () => {
  for (const command of COMMANDS) expect(decodeCommand({ ...command, id: ID.toUpperCase() })).toEqual(command)
})

it.each([
  [null, 'command'],
  ['remember', 'command'],
  [[], 'command'],
  [{}, 'command.type'],
  [{ type: 'constructor', id: ID }, 'command.type'],
  [{ type: 'forget' }, 'command.id'],
  [{ type: 'forget', id: 'note:1' }, 'command.id'],
  [{ type: 'forget', id: ID, expectedVersion: null }, 'command.expectedVersion'],
  [{ type: 'forget', id: ID, expectedVersion: 0 }, 'command.expectedVersion'],
  [{ type: 'remember', id: ID }, 'command.input'],
  [{ type: 'remember', id: ID, input: {} }, 'command.input.content'],
  [{ type: 'remember', id: ID, input: { content: { kind: 5, fields: {} } } }, 'command.input.content.kind'],
  [{ type: 'remember', id: ID, input: { content: { kind: 'note' } } }, 'command.input.content.fields'],
  [
    { type: 'remember', id: ID, input: { content: { kind: 'note', fields: [] } } },
    'command.input.content.fields',
  ],
  [{ type: 'remember', id: ID, input: { content, furtherParts: 'ab' } }, 'command.input.furtherParts'],
  [
    { type: 'remember', id: ID, input: { content, furtherParts: ['a', null] } },
    'command.input.furtherParts.1',
  ],
  [
    { type: 'remember', id: ID, input: { content, furtherParts: Array(1_000).fill('a') } },
    'command.input.furtherParts',
  ],
  [{ type: 'revise', id: ID, input: { content: [] } }, 'command.input.content'],
  [{ type: 'restore', id: ID, version: 1.5 }, 'command.version'],
  [{ type: 'restore', id: ID, version: 2 ** 31 }, 'command.version'],
  [{ type: 'undo', id: ID, expectedVersion: 1 }, 'command.toVersion'],
  [{ type: 'undo', id: ID, toVersion: 'abc' }, 'command.toVersion'],
  [{ type: 'undo', id: ID, toVersion: null }, 'command.toVersion'],
  [{ type: 'undo', id: ID, toVersion: -1 }, 'command.toVersion'],
  [{ type: 'undo', id: ID, toVersion: {} }, 'command.toVersion'],
])('refuses %j with the name of the field', (command, field) => {
  expect(fieldOf(command)).toBe(field)
})

it('refuses a field that no such command has, because it may mean something to another Daybook', () => {
  expect(() => decodeCommand({ type: 'forget', id: ID, silently: true })).toThrow(/silently/u)
})
