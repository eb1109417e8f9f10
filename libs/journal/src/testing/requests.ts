import type { Command } from '@daybook/memory/commands'
import type { EventMetadata } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { AppendRequest } from '../append/append-request.ts'

export const NOBODY: EventMetadata = { actor: null, correlationId: null, causationId: null }

/** A request to remember a note. */
export function note(text: string, more: Partial<AppendRequest> = {}): AppendRequest {
  const input = { content: { kind: 'note', fields: { text } } }
  return { command: { type: 'remember', id: newId(), input }, metadata: NOBODY, ...more }
}

/** A request to give a note another text. */
export function revision(
  id: string,
  text: string,
  { expectedVersion, ...more }: Partial<AppendRequest> & { expectedVersion?: number } = {},
): AppendRequest {
  const input = { content: { kind: 'note', fields: { text } } }
  const command: Command = { type: 'revise', id, input, ...(expectedVersion && { expectedVersion }) }
  return { command, metadata: NOBODY, ...more }
}

export const forgetting = (id: string): AppendRequest => ({
  command: { type: 'forget', id },
  metadata: NOBODY,
})

export const restoring = (id: string, version?: number): AppendRequest => ({
  command: { type: 'restore', id, ...(version !== undefined && { version }) },
  metadata: NOBODY,
})
