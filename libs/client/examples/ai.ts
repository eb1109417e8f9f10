import type { DaybookClient } from '@daybook/client'
import { loadMemories, memoryTools } from '@daybook/client/ai'
import { generateText, isStepCount, type LanguageModel } from 'ai'

/**
 * An assistant that remembers across conversations.
 * @param client one for all conversations, so that each includes what the one before has written
 */
export function createAssistant(client: DaybookClient, model: LanguageModel) {
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
