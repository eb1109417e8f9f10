import { KIND_NAMES } from '@daybook/memory/kinds/index'
import { enumOfWords } from './enum-of-words.ts'

/** The enum of kinds: `STASH`, `INSIGHT`, … */
export const memoryKind = enumOfWords('MemoryKind', KIND_NAMES)
