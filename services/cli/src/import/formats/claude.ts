import { isMemory, isProject, memoryItems, projectItems } from './claude-projects.ts'
import {
  type Conversation,
  conversationItems,
  eachConversation,
  type LeftOut,
  type Message,
} from './conversation.ts'
import { hash, isRecord, type JsonFormat, momentOf } from './format.ts'

const isConversation = (one: unknown) => isRecord(one) && 'chat_messages' in one

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/**
 * Claude's export: conversations, each a list of messages, projects, and what Claude remembers of the person. Each message of a
 * person or the assistant becomes a note, everything else documents.
 */
export const claude: JsonFormat = {
  name: 'claude',
  description: 'the export of Claude: its .zip, its folder or conversations.json',
  fits: (value) => listIn(value).some((one) => isConversation(one) || isProject(one) || isMemory(one)),
  *items(value) {
    const list = listIn(value)
    const projects = list.filter(isProject)
    const chats = list.filter((one) => !isProject(one) && !isMemory(one))
    yield* eachConversation(chats, 'chat_messages', (one) => conversationItems('claude', toConversation(one)))
    yield* projectItems(projects)
    yield* memoryItems(list.filter(isMemory), projects)
  },
}

function toConversation({ uuid, name, chat_messages: messages }: Record<string, unknown>): Conversation {
  return {
    id: String(uuid),
    title: typeof name === 'string' && name.trim() !== '' ? name : 'Untitled',
    messages: Object.values(messages as object)
      .filter(isRecord)
      .flatMap(claudeMessage),
  }
}

function claudeMessage({
  uuid,
  sender,
  text,
  content,
  attachments,
  files,
  created_at: at,
}: Record<string, unknown>): (Message | LeftOut)[] {
  // `content` holds the text in blocks, among them those of tools; `text` holds all of it.
  const blocks = recordsIn(content).map(textOfBlock)
  const texts = blocks.flatMap((block) => (typeof block === 'string' ? [block] : []))
  const attached = recordsIn(attachments).map(({ file_name: name, extracted_content: extracted }) =>
    typeof extracted === 'string' ? `${String(name ?? 'attachment')}:\n${extracted}` : { leftOut: 'files' },
  )
  const inBlocks = texts.join('\n')
  const said = inBlocks.trim() === '' ? String(text ?? '') : inBlocks
  const whole = [said, ...attached]
    .filter((part): part is string => typeof part === 'string' && part.trim() !== '')
    .join('\n\n')
  const leftOut = [
    ...blocks.filter((block): block is LeftOut => typeof block !== 'string'),
    ...attached.filter((one): one is LeftOut => typeof one !== 'string'),
    ...recordsIn(files).map(() => ({ leftOut: 'files' })),
  ]
  if (whole === '') return leftOut.length === 0 ? [{ leftOut: 'empty messages' }] : leftOut
  return [
    {
      id: String(uuid ?? hash(whole)),
      author: sender === 'human' ? 'user' : 'assistant',
      text: whole,
      at: momentOf(at),
    },
    ...leftOut,
  ]
}

const recordsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : [])

/** What a block says: written or spoken text, or the content of an artifact. */
function textOfBlock(block: Record<string, unknown>): string | LeftOut {
  const { type, text, input, name } = block
  if (type === 'thinking' || type === 'redacted_thinking') return { leftOut: 'thoughts' }
  if (type === 'tool_use') {
    const { title, content } = isRecord(input) ? input : {}
    if (name !== 'artifacts' || typeof content !== 'string') return { leftOut: 'tool calls' }
    return `${typeof title === 'string' ? `${title}:\n` : ''}${content}`
  }
  if (type === 'tool_result') return { leftOut: 'tool calls' }
  const words = [text, block['transcript'], block['transcription']].find((one) => typeof one === 'string')
  return typeof words === 'string' ? words : { leftOut: 'files' }
}
