import { basename } from 'node:path'
import type { Collection } from '../collection.ts'
import { readJsonLines } from './json-lines.ts'
import { type MemoryLine, type QuestionLine, toGroup } from './lines.ts'

/** A line of a file of sets: a project of its own, with its memories and questions. */
interface SetLine {
  readonly name: string
  readonly memories: readonly MemoryLine[]
  readonly questions: readonly QuestionLine[]
}

/** Whether the path is one file of sets. */
export const isSets = (path: string): boolean => path.endsWith('.jsonl')

/**
 * Loads a file with one set on each line. Each set is a group, so its questions compete only with its own
 * memories.
 * @throws Error for unknown evidence
 */
export function loadSets(path: string): Collection {
  return {
    name: basename(path, '.jsonl'),
    groups: readJsonLines<SetLine>(path).map(({ name, memories, questions }) =>
      toGroup(name, memories, questions),
    ),
  }
}
