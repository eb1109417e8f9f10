import { splitText } from '@daybook/memory/documents/split-text'
import { LIMITS } from '@daybook/memory/limits'
import { type ImportItem, isRecord, metadataOf } from './format.ts'

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
  /** In order. Something that is no message, and what it is, in the plural. */
  readonly messages: readonly (Message | LeftOut)[]
}

/** A part of a chat that is not imported. */
export interface LeftOut {
  readonly leftOut: string
}

/** The context of what a program keeps together. Titles repeat: eight digits of the id tell them apart. */
export function contextOf(source: string, title: string, id: string): string {
  const suffix = ` (${source} ${id.slice(0, 8)})`
  return [...title].slice(0, LIMITS.nameCharacters - suffix.length).join('') + suffix
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
  const context = contextOf(source, title, id)
  for (const message of messages) {
    if ('leftOut' in message) {
      yield { where: `"${title}"`, leftOut: message.leftOut }
      continue
    }
    const { id: messageId, author, text, at, model } = message
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
}

/** Each conversation of a list, and why one that has no messages is none. */
export function* eachConversation(
  value: unknown,
  messagesIn: string,
  items: (conversation: Record<string, unknown>) => Iterable<ImportItem>,
): Generator<ImportItem> {
  for (const [index, one] of (value as unknown[]).entries()) {
    const messages = isRecord(one) ? one[messagesIn] : undefined
    if (isRecord(one) && typeof messages === 'object' && messages !== null) yield* items(one)
    else {
      const name = isRecord(one) ? (one['title'] ?? one['name']) : undefined
      const where = `conversation ${index + 1}${typeof name === 'string' ? ` "${name}"` : ''}`
      yield {
        where,
        problem: `has no messages: its "${messagesIn}" is ${JSON.stringify(messages) ?? 'missing'}`,
      }
    }
  }
}
