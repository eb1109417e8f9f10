import { readMemoryVersions } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import { diffStates } from '@daybook/memory/diff-versions'
import { ValidationError } from '@daybook/memory/errors'
import { parseMemoryId } from '@daybook/memory/id'
import type { Context } from '../../context.ts'
import { builder } from '../builder.ts'
import { type DiffedMemory, memoryDiff } from '../types/memory-diff.ts'
import { LAST_VERSION } from '../types/page.ts'

builder.queryField('diff', (t) =>
  t.field({
    type: memoryDiff,
    nullable: true,
    description:
      'What differs between two versions of a memory, forgotten or not. Null if there is no such memory. An error of the code VALIDATION names a version that it does not have, and NOT_FOUND one that was erased.',
    args: {
      id: t.arg.id({ required: true }),
      from: t.arg.int({ required: true, description: 'The version to compare, 1 or more.' }),
      to: t.arg.int({
        description: 'The version to compare it with, earlier or later. Default: the newest.',
      }),
    },
    resolve: (_, { id, from, to }, context) => diff(context, id, from, to ?? null),
  }),
)

async function diff(
  { project }: Context,
  id: string,
  from: number,
  to: number | null,
): Promise<DiffedMemory | null> {
  const ref = parseMemoryId(id)
  if (ref === null) return null
  const { newest, records } = await readMemoryVersions(
    project,
    ref.uuid,
    [from, to ?? 0].filter((version) => version >= 1 && version <= LAST_VERSION),
  )
  if (newest === null) return null
  const find = (field: 'from' | 'to', version: number) => {
    const record = records.get(version)
    if (record === undefined)
      throw new ValidationError(
        field,
        `is not a version of this memory: it has the versions 1 to ${newest}, and ${version} was asked for`,
      )
    return readable(record)
  }
  const [before, after] = [find('from', from), find('to', to ?? newest)]
  if (ref.kind !== null && after.data.state.kind !== ref.kind) return null
  return { before, after, ...diffStates(before.data.state, after.data.state) }
}
