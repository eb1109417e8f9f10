import { generateText, isStepCount, type LanguageModel } from 'ai'
import { loadMemories, memoryTools } from '../ai/index.ts'
import type { DaybookClient } from '../create-client.ts'

/**
 * An assistant that remembers across conversations, as in examples/ai-sdk, for any model.
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
