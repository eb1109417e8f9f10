import { createClient } from '@daybook/client'
import { loadMemories, memoryTools } from '@daybook/client/ai'
import { generateText, isStepCount, type LanguageModel } from 'ai'

/** An assistant that remembers across conversations. */
export function createAssistant(model: LanguageModel) {
  // One client for all conversations, so that each includes what the one before has written.
  const client = createClient({
    url: process.env['DAYBOOK_URL'] ?? 'http://127.0.0.1:4000',
    apiKey: process.env['DAYBOOK_API_KEY'] ?? '',
    agent: 'assistant',
  })
  return {
    /** A conversation of one question. */
    async answer(question: string): Promise<string> {
      const memories = await loadMemories(client, question)
      const { text } = await generateText({
        model,
        instructions: `You are a helpful assistant. Remember what will matter later.\n${memories.instructions}`,
        messages: [...memories.messages, { role: 'user', content: question }],
        tools: memoryTools(client),
        stopWhen: isStepCount(6),
      })
      return text
    },
  }
}
