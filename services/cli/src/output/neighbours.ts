import { safeLine } from '@daybook/memory/safe-text'
import type { Neighbours } from '../client/read-neighbours.ts'
import { outputColumns } from './columns.ts'
import { shorten } from './shorten.ts'

/** What was remembered before and after a memory in its context, in the order of the journal. */
export function renderNeighbours({ before, after }: Neighbours): string {
  if (before.length + after.length === 0) return 'Nothing stands beside it in its context.'
  return [
    ...(before.length === 0 ? [] : ['Before it:', ...before.toReversed().map(line)]),
    ...(after.length === 0 ? [] : ['After it:', ...after.map(line)]),
  ].join('\n')
}

const line = ({ id, title }: Neighbours['before'][number]): string =>
  `  ${safeLine(id)}  ${shorten(safeLine(title), outputColumns())}`
