import { splitText } from '@daybook/memory/documents/split-text'
import { LIMITS } from '@daybook/memory/limits'
import type { ImportItem } from './format.ts'
import { metadataOf } from './values.ts'

/** A message of a chat with an assistant. */
export interface Message {
  readonly id: string
  /** `user` or `assistant`. */
  readonly author: string
  readonly text: string
  /** RFC 3339. */
  readonly at: string | undefined
  readonly model?: string | undefined
}

/** A chat with an assistant. */
export interface Conversation {
  readonly id: string
  readonly title: string
  /** In order. */
  readonly messages: readonly Message[]
}

/**
 * The messages of a conversation as notes in a context of their own, because search shows a message together with those beside it.
 * A message that is longer than a text may be becomes several notes.
 * @param source the name of the program, as label and in keys
 */
export function* conversationItems(
  source: string,
  { id, title, messages }: Conversation,
): Generator<ImportItem> {
  // Titles repeat: eight digits of the id tell conversations apart.
  const suffix = ` (${source} ${id.slice(0, 8)})`
  const context = [...title].slice(0, LIMITS.nameCharacters - suffix.length).join('') + suffix
  for (const { id: messageId, author, text, at, model } of messages)
    for (const [part, ofPart] of splitText(text).entries())
      yield {
        where: `"${title}"`,
        input: {
          content: { note: { text: ofPart } },
          agent: author,
          context,
          labels: [source],
          occurredAt: at,
          metadata: metadataOf({ conversation: id, title, message: messageId, model }),
          idempotencyKey: `${source}:${messageId}${part === 0 ? '' : `:${part}`}`,
        },
      }
}
