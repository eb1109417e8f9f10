import { createHash } from 'node:crypto'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { MEMORY } from '@daybook/client/documents/memory'
import { contentOfKind, memoryContent, withContent } from '@daybook/client/documents/memory-content'
import { sortedJson } from '@daybook/memory/canonical-json'
import { COMMON_DEFAULTS } from '@daybook/memory/common-fields'
import { jsonProblem, lossOf } from '@daybook/memory/json-problem'
import { type KindName, kindNamed } from '@daybook/memory/kinds/index'
import { bytesInWords, sizeInWords } from '@daybook/memory/text-rules'
import { parseMoment } from '@daybook/runtime/units'
import { mutate } from '../client/mutate.ts'
import { request } from '../client/request.ts'
import { inputFromMemoryFile, memoryFile } from '../markdown/memory-file.ts'
import type { Connection } from '../settings.ts'
import type { KeyedInput } from './formats/format.ts'
import { hasZone } from './local-time.ts'

/** A line that can be sent. */
export interface Entry {
  /** The line's number in the file, from 1. */
  readonly line: number
  /** The `RememberInput` as JSON, with an idempotency key. */
  readonly json: string
  readonly bytes: number
  /** Whether a time of it names no zone, so that this machine's was taken. Default no. */
  readonly localTimes?: boolean
}

/** A line that cannot be remembered, and why. `field` names the wrong field, if there is one. */
export interface BadLine {
  readonly line: number
  readonly field: string | null
  readonly message: string
}

/**
 * The longest input that is sent, in bytes. The daemon takes bodies of 1 MiB, and the mutation needs some of
 * that.
 */
export const LONGEST_INPUT = 1_000_000

/** Converts an input's dates to the API's form. The API refuses those that cannot be read. */
function momentsOf(given: Readonly<Record<string, unknown>>): { moments: object; localTimes: boolean } {
  const read = ['occurredAt', 'expiresAt'].flatMap((name) => {
    const value = given[name]
    const moment = typeof value === 'string' && !/[Tt]/u.test(value) ? parseMoment(value) : null
    return moment === null ? [] : [{ name, moment, isLocal: !hasZone(String(value)) }]
  })
  return {
    moments: Object.fromEntries(read.map(({ name, moment }) => [name, moment])),
    localTimes: read.some(({ isLocal }) => isLocal),
  }
}

/**
 * Turns lines into entries. A line without an `idempotencyKey` gets `import:<hash of its content>:<n>`, where
 * n counts the lines with that content. So importing the file again, or a longer version of it, adds nothing
 * twice. `onExisting` is part of the content. The reader keeps one hash per line, about 100 bytes; nothing else grows with the file.
 */
export function createEntryReader(onExisting?: string): (line: number, text: string) => Entry | BadLine {
  const seen = new Map<string, number>()
  const keyOf = (input: object): string => {
    const hash = createHash('sha256').update(sortedJson(input)).digest('hex').slice(0, 32)
    const occurrence = (seen.get(hash) ?? 0) + 1
    seen.set(hash, occurrence)
    return `import:${hash}:${occurrence}`
  }
  return (line, text) => {
    const bad = (message: string): BadLine => ({ line, field: null, message })
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      return bad(`is not JSON: ${(error as Error).message}`)
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return bad('is not a JSON object of the form {"content": {"note": {"text": "…"}}}')
    const loss = lossOf(text)
    if (loss !== null) return bad(loss)
    for (const [field, inner] of Object.entries(value)) {
      const wrong = jsonProblem(inner, field)
      if (wrong !== null) return { line, field: wrong.path, message: `${wrong.path} ${wrong.problem}` }
    }
    const given: Readonly<Record<string, unknown>> = {
      ...(onExisting !== undefined && { onExisting }),
      ...(value as Record<string, unknown>),
    }
    const idempotencyKey = given['idempotencyKey'] ?? keyOf(given)
    const { moments, localTimes } = momentsOf(given)
    const json = JSON.stringify({ ...given, ...moments, idempotencyKey })
    const bytes = Buffer.byteLength(json)
    return bytes > LONGEST_INPUT
      ? bad(
          `is too long to be sent: the limit is ${sizeInWords(LONGEST_INPUT)}, and it has ${bytesInWords(bytes)}`,
        )
      : { line, json, bytes, localTimes }
  }
}

const FIND = queries.memory('...Memory ...MemoryContent', [MEMORY, memoryContent()])

const REVISE = mutations.revise('sequence')

/** How what an import brings compares with the memory that it was before. */
type Comparison = 'unknown' | 'same' | 'changed' | 'forgotten'

/** Compares what a file says with the memory of that id. @throws what `request` throws */
export async function compareWithMemory(
  connection: Connection,
  id: string,
  input: KeyedInput,
): Promise<Comparison> {
  const { memory } = await request(connection, FIND, { id })
  if (memory === null) return 'unknown'
  if (memory.forgottenAt !== null) return 'forgotten'
  // A chat that was branched off another has its messages too: they stay where they were first.
  const { message, conversation } = memory.metadata
  if (
    message !== undefined &&
    message === input.metadata?.['message'] &&
    conversation !== input.metadata['conversation']
  )
    return 'same'
  const there = inputFromMemoryFile(memoryFile(withContent(memory)))
  return typeof there !== 'string' && comparable(there) === comparable(input) ? 'same' : 'changed'
}

const withDefaults = (input: KeyedInput) =>
  Object.fromEntries(
    Object.entries(COMMON_DEFAULTS).map(([name, unset]) => [name, input[name as keyof KeyedInput] ?? unset]),
  )

/** What a file says, with the defaults of what it leaves out. */
function comparable(input: KeyedInput): string {
  return sortedJson({ content: input.content, ...withDefaults(input) })
}

/** Makes a memory say what its original says. @returns the sequence. @throws what `request` throws; RefusedError */
export async function reviseToInput(connection: Connection, id: string, input: KeyedInput): Promise<number> {
  const { content } = input
  const [[kind, given] = ['', {}]] = Object.entries(content)
  const fields = Object.keys(kindNamed(kind as KindName).fields)
  const whole = {
    ...withDefaults(input),
    // What the file no longer has is emptied.
    content: contentOfKind(
      kind,
      Object.fromEntries(fields.map((field) => [field, (given as Record<string, unknown>)[field] ?? null])),
    ),
  }
  const { sequence } = await mutate(connection, REVISE, (idempotencyKey) => ({
    id,
    input: whole,
    idempotencyKey,
  }))
  return sequence
}
