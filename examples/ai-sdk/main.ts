import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount } from 'ai'
import { createClient } from 'daybook/client'
import { loadMemories, memoryTools } from 'daybook/client/ai'

const client = createClient({
  url: process.env['DAYBOOK_URL'] ?? 'http://127.0.0.1:4000',
  apiKey: process.env['DAYBOOK_API_KEY'] ?? '',
  agent: 'assistant',
})
// By default a model of Ollama on this machine.
const models = createOpenAICompatible({
  name: 'models',
  baseURL: process.env['MODELS_URL'] ?? 'http://127.0.0.1:11434/v1',
  apiKey: process.env['MODELS_API_KEY'] ?? 'none',
})

const question = process.argv[2] ?? 'What do you know of me?'
// What matters for the question comes as data, with instructions that say so.
const memories = await loadMemories(client, question)
const { text } = await generateText({
  model: models(process.env['MODEL'] ?? 'qwen3'),
  instructions: `You are a helpful assistant. Remember what will matter later.\n${memories.instructions}`,
  messages: [...memories.messages, { role: 'user', content: question }],
  tools: memoryTools(client),
  stopWhen: isStepCount(6),
})
console.log(text)
