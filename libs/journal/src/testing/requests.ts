import type { Command } from '@daybook/memory/commands'
import type { EventMetadata } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { AppendRequest } from '../append/append-request.ts'

/** Metadata of an event that nobody in particular caused. */
export const NOBODY: EventMetadata = { actor: null, correlationId: null, causationId: null }

/** A request to remember a note. */
export function note(text: string, more: Partial<AppendRequest> = {}): AppendRequest {
  const input = { content: { kind: 'note', fields: { text } } }
  return { command: { type: 'remember', id: newId(), input }, metadata: NOBODY, ...more }
}

/** A request to change a note's text. */
export function revision(
  id: string,
  text: string,
  { expectedVersion, ...more }: Partial<AppendRequest> & { expectedVersion?: number } = {},
): AppendRequest {
  const input = { content: { kind: 'note', fields: { text } } }
  const command: Command = { type: 'revise', id, input, ...(expectedVersion && { expectedVersion }) }
  return { command, metadata: NOBODY, ...more }
}

/** A request to forget a memory. */
export const forgetting = (id: string): AppendRequest => ({
  command: { type: 'forget', id },
  metadata: NOBODY,
})

/** A request to restore a memory; without `version`, as it was when forgotten. */
export const restoring = (id: string, version?: number): AppendRequest => ({
  command: { type: 'restore', id, ...(version !== undefined && { version }) },
  metadata: NOBODY,
})
