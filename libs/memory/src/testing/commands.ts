import type { Command, RememberInput } from '../commands.ts'
import { newId } from '../id.ts'

/** The input that remembers a note. */
export const note = (text: string, more: Omit<RememberInput, 'content'> = {}): RememberInput => ({
  content: { kind: 'note', fields: { text } },
  ...more,
})

/** The command that remembers an input. */
export const rememberCommand = (input: RememberInput, id = newId()): Command & { readonly id: string } => ({
  type: 'remember',
  id,
  input,
})
