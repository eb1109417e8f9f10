import { type Conversation, conversationItems, type Message } from './conversation.ts'
import { hash, isRecord, type JsonFormat, momentOf } from './format.ts'

/** Claude's export, a list of conversations, each a list of messages. Each message of a person or the assistant becomes a note. */
export const claude: JsonFormat = {
  name: 'claude',
  description: 'the unpacked export of Claude: its folder or conversations.json',
  fits: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => isRecord(one) && Array.isArray(one['chat_messages'])),
  *items(value) {
    for (const one of value as Record<string, unknown>[])
      yield* conversationItems('claude', toConversation(one))
  },
}

function toConversation({ uuid, name, chat_messages: messages }: Record<string, unknown>): Conversation {
  return {
    id: String(uuid),
    title: typeof name === 'string' && name.trim() !== '' ? name : 'Untitled',
    messages: (messages as unknown[]).filter(isRecord).flatMap(claudeMessage),
  }
}

function claudeMessage({
  uuid,
  sender,
  text,
  content,
  attachments,
  created_at: at,
}: Record<string, unknown>): Message[] {
  // `content` holds the text in blocks, among them those of tools; `text` holds all of it.
  const blocks = Array.isArray(content) ? content.filter(isRecord) : []
  const texts = blocks.flatMap((block) => (block['type'] === 'text' ? [String(block['text'] ?? '')] : []))
  const files = (Array.isArray(attachments) ? attachments.filter(isRecord) : []).flatMap((file) =>
    typeof file['extracted_content'] === 'string'
      ? [`${String(file['file_name'] ?? 'attachment')}:\n${file['extracted_content']}`]
      : [],
  )
  const said = texts.length > 0 ? texts.join('\n') : String(text ?? '')
  const whole = [said, ...files].filter((part) => part.trim() !== '').join('\n\n')
  if (whole === '') return []
  return [
    {
      id: String(uuid ?? hash(whole)),
      author: sender === 'human' ? 'user' : 'assistant',
      text: whole,
      at: momentOf(at),
    },
  ]
}
