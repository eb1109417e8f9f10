import { splitText } from '@daybook/memory/documents/split-text'
import { LIMITS } from '@daybook/memory/limits'
import { type ImportItem, isRecord, type JsonFormat, metadataOf, momentOf } from './format.ts'

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

/** ChatGPT's export, a list of conversations, each a tree of messages. Each message of a person or the assistant becomes a note. */
export const chatgpt: JsonFormat = {
  name: 'chatgpt',
  description: 'the unpacked export of ChatGPT: its folder or conversations.json',
  fits: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => isRecord(one) && isRecord(one['mapping'])),
  *items(value) {
    for (const one of value as Record<string, unknown>[])
      yield* conversationItems('chatgpt', toConversation(one))
  },
}

function toConversation(conversation: Record<string, unknown>): Conversation {
  const { title, mapping, current_node: leaf, conversation_id: id, id: olderId } = conversation
  return {
    id: String(id ?? olderId ?? leaf ?? ''),
    title: typeof title === 'string' && title.trim() !== '' ? title : 'Untitled',
    messages: pathTo(leaf, mapping as Record<string, unknown>).flatMap(toMessage),
  }
}

/** The nodes from the root to the last message that was shown. Answers that were made again hang beside this path. */
function pathTo(leaf: unknown, mapping: Record<string, unknown>): Record<string, unknown>[] {
  const path: Record<string, unknown>[] = []
  const seen = new Set<string>()
  // Without a last message, the newest node without children is the end.
  let at = typeof leaf === 'string' ? leaf : (Object.keys(mapping).at(-1) ?? '')
  for (let node = mapping[at]; isRecord(node) && !seen.has(at); node = mapping[at]) {
    path.unshift(node)
    seen.add(at)
    at = String(node['parent'] ?? '')
  }
  return path
}

function toMessage({ message }: Record<string, unknown>): Message[] {
  if (!isRecord(message)) return []
  const { id, author, content, create_time: at, metadata } = message
  const role = isRecord(author) ? author['role'] : null
  if (role !== 'user' && role !== 'assistant') return []
  const parts = isRecord(content) && Array.isArray(content['parts']) ? content['parts'] : []
  // Parts that are no text are pictures and files.
  const text = parts.filter((part): part is string => typeof part === 'string').join('\n')
  const hidden = isRecord(metadata) && metadata['is_visually_hidden_from_conversation'] === true
  if (text.trim() === '' || hidden) return []
  const model = isRecord(metadata) ? metadata['model_slug'] : undefined
  return [
    {
      id: String(id),
      author: role,
      text,
      at: momentOf(at),
      model: typeof model === 'string' ? model : undefined,
    },
  ]
}
