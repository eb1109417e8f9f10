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
  description: 'the export of ChatGPT: its .zip, its folder or conversations.json',
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

/** When a node's message was written, in seconds since 1970; 0 if nobody knows. */
const writtenAt = (node: unknown): number =>
  isRecord(node) && isRecord(node['message']) ? Number(node['message']['create_time'] ?? 0) || 0 : 0

/**
 * The nodes from the root to the last message that was shown. Answers that were made again hang beside this path. What hangs on
 * a node that the export lacks begins a tree of its own, and all trees are told, each to its newest leaf.
 */
function pathTo(leaf: unknown, mapping: Record<string, unknown>): Record<string, unknown>[] {
  const parentOf = (at: string): string => {
    const node = mapping[at]
    return isRecord(node) ? String(node['parent'] ?? '') : ''
  }
  const isParent = new Set(Object.keys(mapping).map(parentOf))
  const upFrom = (end: string): string[] => {
    const path: string[] = []
    const seen = new Set<string>()
    for (let at = end; isRecord(mapping[at]) && !seen.has(at); at = parentOf(at)) {
      path.unshift(at)
      seen.add(at)
    }
    return path
  }
  const leaves = Object.keys(mapping)
    .filter((at) => !isParent.has(at))
    // The last one of the file where no times are known.
    .toReversed()
    .toSorted((one, other) => writtenAt(mapping[other]) - writtenAt(mapping[one]))
  const ends = [...(typeof leaf === 'string' && isRecord(mapping[leaf]) ? [leaf] : []), ...leaves]
  const trees = new Map<string | undefined, string[]>()
  for (const path of ends.map(upFrom)) if (!trees.has(path[0])) trees.set(path[0], path)
  return [...trees.values()]
    .toSorted((one, other) => writtenAt(mapping[one.at(-1) ?? '']) - writtenAt(mapping[other.at(-1) ?? '']))
    .flat()
    .map((at) => mapping[at] as Record<string, unknown>)
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
  const text = withoutMarks(texts.join('\n'))
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

/**
 * A text without the marks that ChatGPT's page turns into links (`\uE200cite\uE202turn0search1\uE201`). Of a thing with a
 * name (`\uE200entity\uE202["company","Vaisala"]\uE201`), the name stays.
 */
const withoutMarks = (text: string): string =>
  text.replace(/\uE200([^\uE201]*)\uE201/gu, (_, mark: string) => {
    const [, name] = /^entity\uE202?\["[^"]*","([^"]*)"/u.exec(mark) ?? []
    return name ?? ''
  })

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
