import { delimited } from '@daybook/memory/safe-text'
import type { UserModelMessage } from 'ai'
import type { DaybookClient } from '../create-client.ts'
import type { ContextOptions, PackedContext } from '../reads.ts'

/** What a model is given before a conversation. */
export interface LoadedMemories {
  /** To append to the instructions: how to take the message. Nothing of it comes from a memory. Empty if nothing was found. */
  readonly instructions: string
  /** To put before the conversation's messages: the memories as data. Empty if nothing was found. */
  readonly messages: readonly UserModelMessage[]
  /** What was found, and what it lacks. */
  readonly context: PackedContext
}

/**
 * Loads the memories that matter for what a conversation begins with.
 * @param query what it is about, such as the user's first message
 * @param options `tokenBudget` is 2,000 unless given
 * @throws DaybookClientError
 */
export async function loadMemories(
  client: Pick<DaybookClient, 'contextFor'>,
  query: string,
  options?: ContextOptions,
): Promise<LoadedMemories> {
  const context = await client.contextFor(query, options)
  if (context.text === '') return { instructions: '', messages: [], context }
  const { rule, block } = delimited('memories', context.text)
  return {
    instructions: `The first message holds memories from before this conversation that may matter for it. ${rule}`,
    messages: [{ role: 'user', content: block }],
    context,
  }
}
