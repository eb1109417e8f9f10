import { delimited } from '@daybook/memory/delimited-data'
import { entryText } from '@daybook/memory/entry-text'
import type { Memory } from '../memory.ts'

/** Memories as a model may read them: numbered entries in which none can look like another one. */
export const entriesOf = (memories: readonly Memory[]): string =>
  memories.map((memory, index) => entryText(index + 1, memory, memory.text)).join('\n')

/** What a tool gives a model: what memories say, marked as data. */
export function asData(text: string, notes: readonly string[] = []): string {
  const { rule, block } = delimited('memories', text)
  return [rule, block, ...notes].join('\n')
}
