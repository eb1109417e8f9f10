/* Memories for Vercel's AI SDK: the tools, and what a conversation begins with. */
export { type LoadedMemories, loadMemories } from './load-memories.ts'
export { type MemoryToolOptions, memoryTools, readingTools, writingTools } from './memory-tools.ts'
