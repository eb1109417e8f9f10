import type { InputOf } from '@daybook/api/graphql'
import { isKindName, type KindName } from '@daybook/memory/kinds/index'
import { DaybookClientError } from '../client-error.ts'

/** The field of each kind that says what the memory says. */
const MAIN_FIELDS: Readonly<Record<KindName, string>> = {
  decision: 'decision',
  document: 'content',
  entity: 'content',
  error: 'message',
  fact: 'content',
  insight: 'content',
  learning: 'correctPattern',
  note: 'text',
  session: 'summary',
  stash: 'summary',
  todo: 'description',
}

/** The revision that replaces what a memory says. Its id begins with its kind. @throws DaybookClientError VALIDATION */
export function revisionOf(id: string, text: string): InputOf<'ReviseContentInput'> {
  const kind = id.split(':')[0] ?? ''
  if (!isKindName(kind))
    throw new DaybookClientError(
      'VALIDATION',
      `id must begin with a kind, such as insight:0192f0c1-…: ${id}`,
      {
        field: 'id',
      },
    )
  return { [kind]: { [MAIN_FIELDS[kind]]: text } } as unknown as InputOf<'ReviseContentInput'>
}
