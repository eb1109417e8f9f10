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
  /** In order. Something that is no message, and what it is, in the plural. */
  readonly messages: readonly (Message | LeftOut)[]
}

/** A part of a chat that is not imported. */
export interface LeftOut {
  readonly leftOut: string
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

/** ChatGPT's export, a list of conversations, each a tree of messages. Each message of a person or the assistant becomes a note. */
export const chatgpt: JsonFormat = {
  name: 'chatgpt',
  description: 'the unpacked export of ChatGPT: its folder or conversations.json',
  fits: (value) => Array.isArray(value) && value.some((one) => isRecord(one) && 'mapping' in one),
  items: (value) =>
    eachConversation(value, 'mapping', (one) => conversationItems('chatgpt', toConversation(one))),
}

function toConversation(conversation: Record<string, unknown>): Conversation {
  const { title, mapping, current_node: leaf, conversation_id: id, id: olderId } = conversation
  const nodes = mapping as Record<string, unknown>
  const path = pathTo(leaf, nodes)
  const beside = Object.values(nodes).filter((node) => isRecord(node) && !path.includes(node))
  const other = beside
    .flatMap((node) => toMessage(node as Record<string, unknown>))
    .filter((one) => 'text' in one)
  return {
    id: String(id ?? olderId ?? leaf ?? ''),
    title: typeof title === 'string' && title.trim() !== '' ? title : 'Untitled',
    messages: [...path.flatMap(toMessage), ...other.map(() => ({ leftOut: 'other answers' }))],
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

/** A node's message, and what of it is left out. */
function toMessage({ message }: Record<string, unknown>): (Message | LeftOut)[] {
  if (!isRecord(message)) return []
  const { id, author, content, create_time: at, metadata, recipient } = message
  const role = isRecord(author) ? author['role'] : null
  const details = isRecord(metadata) ? metadata : {}
  if (role === 'tool') return [{ leftOut: 'tool calls' }]
  // Every conversation begins with one that nobody wrote.
  if (role !== 'user' && role !== 'assistant') return []
  if (details['is_visually_hidden_from_conversation'] === true) return [{ leftOut: 'hidden messages' }]
  const { texts, leftOut } = partsOf(isRecord(content) ? content : {}, String(recipient ?? 'all'))
  const text = texts.join('\n')
  const model = details['model_slug']
  const said =
    text.trim() === ''
      ? []
      : [
          {
            id: String(id),
            author: role,
            text,
            at: momentOf(at),
            model: typeof model === 'string' ? model : undefined,
          },
        ]
  const others = leftOut.map((one) => ({ leftOut: one }))
  return said.length + others.length === 0 ? [{ leftOut: 'empty messages' }] : [...said, ...others]
}

/** What ChatGPT's canvas is written with: the whole text comes when it is made. */
const MAKES_CANVAS = 'canmore.create_textdoc'

/** The texts of a message's content: what was written, spoken, or put into a canvas. */
function partsOf(
  content: Readonly<Record<string, unknown>>,
  recipient: string,
): { readonly texts: string[]; readonly leftOut: string[] } {
  const type = content['content_type']
  if (type === 'thoughts' || type === 'reasoning_recap') return { texts: [], leftOut: ['thoughts'] }
  const parts = Array.isArray(content['parts']) ? content['parts'] : [content['text']]
  if (recipient === MAKES_CANVAS) {
    const canvas = canvasIn(parts.filter((part) => typeof part === 'string').join(''))
    return canvas === null ? { texts: [], leftOut: ['tool calls'] } : { texts: [canvas], leftOut: [] }
  }
  if (recipient !== 'all') return { texts: [], leftOut: ['tool calls'] }
  const [texts, leftOut]: [string[], string[]] = [[], []]
  for (const part of parts) {
    if (typeof part === 'string') texts.push(part)
    else if (isRecord(part) && typeof part['text'] === 'string') texts.push(part['text'])
    // The recording of what was spoken, whose words come beside it.
    else if (isRecord(part) && !String(part['content_type']).includes('audio')) leftOut.push('files')
  }
  return { texts, leftOut }
}

function canvasIn(json: string): string | null {
  try {
    const { name, content } = JSON.parse(json) as { readonly name?: unknown; readonly content?: unknown }
    return typeof content === 'string' ? `${typeof name === 'string' ? `${name}:\n` : ''}${content}` : null
  } catch {
    return null
  }
}
