import type { AnsweredMap } from '@daybook/client/documents/memory-map'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/size-in-words'

/** Says what is on the map, and what is not. */
export function renderMap({ memories, newer, problem, made }: AnsweredMap): string {
  if (made === null)
    return problem === null ? 'There is no map yet. Make it:  daybook map' : safeLine(problem)
  const others = memories - newer - made.count
  return [
    `On the map: ${grouped(made.count)} of ${grouped(memories)} memories, as of ${made.madeAt}, by ${safeLine(made.model)}.`,
    ...(newer > 0 ? [`Newer, and not on it: ${grouped(newer)}. Make it anew:  daybook map`] : []),
    ...(others > 0 ? [`Without a vector, or too old for the map: ${grouped(others)}.`] : []),
    'See it in the console:  daybook console',
  ].join('\n')
}
