import { existsSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Collection, Group } from '../collection.ts'
import { readJsonLines } from './json-lines.ts'

/** A memory: a `RememberInput`, and the id that questions use. */
export type MemoryLine = { readonly id: string } & Readonly<Record<string, unknown>>

/** A question. */
export interface QuestionLine {
  readonly id: string
  /** Default: none. */
  readonly category?: string
  readonly question: string
  /** Ids of the memories that answer it; none if nothing there does. */
  readonly evidence: readonly string[]
  /** A `MemoryFilter`. */
  readonly filter?: Readonly<Record<string, unknown>>
}

/** Whether a folder holds a collection in the bundled set's format. */
export function isLines(folder: string): boolean {
  return existsSync(join(folder, 'memories.jsonl')) && existsSync(join(folder, 'questions.jsonl'))
}

/**
 * Loads the format of the bundled set: two files of JSON lines, all memories in one project.
 * @throws Error for unknown evidence
 */
export function loadLines(folder: string): Collection {
  const name = basename(realpathSync(folder))
  const memories = readJsonLines<MemoryLine>(join(folder, 'memories.jsonl'))
  const questions = readJsonLines<QuestionLine>(join(folder, 'questions.jsonl'))
  return { name, groups: [toGroup(name, memories, questions)] }
}

/** @throws Error for unknown evidence */
export function toGroup(
  name: string,
  memories: readonly MemoryLine[],
  questions: readonly QuestionLine[],
): Group {
  const ids = new Set(memories.map(({ id }) => id))
  const asked = questions.map(({ id, category = null, question, evidence, filter }) => {
    const unknown = evidence.find((memory) => !ids.has(memory))
    if (unknown !== undefined) throw new Error(`question ${id} names a memory that is not there: ${unknown}`)
    return {
      id,
      text: question,
      category,
      relevant: new Map(evidence.map((memory) => [memory, 1])),
      ...(filter === undefined ? {} : { filter }),
    }
  })
  const unanswerable = asked.filter(({ relevant }) => relevant.size === 0)
  return {
    name,
    memories: memories.map(({ id, ...input }) => ({ id, input })),
    questions: asked.filter(({ relevant }) => relevant.size > 0),
    ...(unanswerable.length === 0 ? {} : { unanswerable }),
  }
}
