import { age } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import { keepList } from '../client/memory-id.ts'
import type { Invocation } from '../command.ts'
import { noteUnshared } from './memory.ts'
import { note, print, printJson, shorten } from './print.ts'
import { table } from './table.ts'

/** A memory in a list of what is still open. */
interface OpenMemory {
  readonly id: string
  readonly title: string
  readonly context: string | null
  readonly createdAt: string
}

interface OpenPage {
  readonly edges: readonly ({ readonly node: OpenMemory } | null)[]
  readonly pageInfo: { readonly hasNextPage: boolean }
}

/** Columns of a title. */
const TITLE = 60

/** Prints open todos or active sessions. @param name the list's name in JSON */
export function printOpen(
  { edges, pageInfo }: OpenPage,
  { connection, json, name, none }: Invocation & { readonly name: string; readonly none: string },
): void {
  const memories = edges.flatMap((edge) => (edge === null ? [] : [edge.node]))
  if (json) return printJson({ [name]: memories, more: pageInfo.hasNextPage })
  keepList(connection, memories)
  if (memories.length === 0) return note(none)
  const now = Date.now()
  const rows = memories.map(({ id, title, context, createdAt }, at) => [
    at + 1,
    shorten(safeLine(title), TITLE),
    safeLine(context ?? ''),
    age(createdAt, now),
    safeLine(id),
  ])
  print(table(['#', 'what', 'context', 'since', 'id'], rows))
  if (pageInfo.hasNextPage) note('There are more: --limit 100')
}

interface Changed {
  readonly sequence: number
  readonly duplicate: boolean
  readonly memory: {
    readonly id: string
    readonly title: string
    readonly version: number
    readonly shared: boolean
  }
}

/** Prints that a todo or session has changed. */
export function printChanged(
  { memory, sequence, duplicate }: Changed,
  { json, what }: { readonly json: boolean; readonly what: string },
): void {
  noteUnshared(memory)
  if (json) return printJson({ memory, sequence, duplicate })
  print(`${what}: ${safeLine(memory.title)}`)
  print(`${safeLine(memory.id)}  (version ${memory.version}, sequence ${sequence})`)
}
