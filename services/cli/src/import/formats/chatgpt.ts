import {
  type Conversation,
  conversationItems,
  eachConversation,
  type LeftOut,
  type Message,
} from './conversation.ts'
import { isRecord, type JsonFormat, momentOf } from './format.ts'

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
