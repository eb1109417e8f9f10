import { graphql, type InputOf } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { MEMORY } from '@daybook/client/documents/memory'
import { memoryContent, withContent } from '@daybook/client/documents/memory-content'
import { type KindName, kindNamed } from '@daybook/memory/kinds/index'
import { DEFAULT_IMPORTANCE } from '@daybook/memory/limits'
import { sortedJson } from '@daybook/memory/sorted-json'
import { mutate } from '../client/mutate.ts'
import { request } from '../client/request.ts'
import { succeeded } from '../client/result.ts'
import { COMMON_IN_FILE, inputFromMemoryFile, memoryFile } from '../markdown/memory-file.ts'
import type { Connection } from '../settings.ts'
import type { KeyedInput } from './formats/format.ts'

const FIND = graphql('query FindImported($id: ID!) { memory(id: $id) { ...Memory ...MemoryContent } }', [
  MEMORY,
  memoryContent(),
])

const REVISE = graphql(
  `mutation ReviseImported($id: ID!, $input: ReviseInput!, $idempotencyKey: String) {
    revise(id: $id, input: $input, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Revised { sequence }
      ...Failure
    }
  }`,
  [FAILURE],
)

/** How a file that Daybook wrote compares with the memory that it was written from. */
export type Comparison = 'unknown' | 'same' | 'changed' | 'forgotten'

/** Compares what a file says with the memory of that id. @throws what `request` throws */
export async function compareWithMemory(
  connection: Connection,
  id: string,
  input: KeyedInput,
): Promise<Comparison> {
  const { memory } = await request(connection, FIND, { id })
  if (memory === null) return 'unknown'
  if (memory.forgottenAt !== null) return 'forgotten'
  const there = inputFromMemoryFile(memoryFile(withContent(memory)))
  return typeof there !== 'string' && comparable(there) === comparable(input) ? 'same' : 'changed'
}

/** What a file says, with the defaults of what it leaves out. */
function comparable(input: KeyedInput): string {
  const { content, importance = DEFAULT_IMPORTANCE, labels, categories, metadata } = input
  const { agent, context, occurredAt, expiresAt } = input
  const lists = { labels: labels ?? [], categories: categories ?? [], metadata: metadata ?? {} }
  return sortedJson({ content, agent, context, occurredAt, expiresAt, importance, ...lists })
}

/** Makes a memory say what its file says. @returns the sequence. @throws what `request` throws; RefusedError */
export async function reviseFromFile(connection: Connection, id: string, input: KeyedInput): Promise<number> {
  const { content, ...common } = input
  const [[kind, given] = ['', {}]] = Object.entries(content)
  const fields = Object.keys(kindNamed(kind as KindName).fields)
  const whole = {
    ...Object.fromEntries(COMMON_IN_FILE.map((name) => [name, common[name] ?? null])),
    importance: common.importance ?? DEFAULT_IMPORTANCE,
    // What the file no longer has is emptied.
    content: {
      [kind]: Object.fromEntries(
        fields.map((field) => [field, (given as Record<string, unknown>)[field] ?? null]),
      ),
    },
  }
  const answer = await mutate(connection, REVISE, (idempotencyKey) => ({
    id,
    input: whole as unknown as InputOf<'ReviseInput'>,
    idempotencyKey,
  }))
  return succeeded(answer.revise).sequence
}
