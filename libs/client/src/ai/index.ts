/* Memories for models: the tools of Vercel's AI SDK, what a conversation begins with, and the files of Anthropic's memory tool. */
export { type LoadedMemories, loadMemories } from './load-memories.ts'
export { type MemoryFilesOptions, memoryFiles } from './memory-files.ts'
export { type MemoryToolOptions, memoryTools, readingTools, writingTools } from './memory-tools.ts'
