import { KIND_NAMES } from '@daybook/memory/kinds/index'
import { enumOfWords } from './enum-of-words.ts'

/** `STASH`, `INSIGHT`, … for the kinds' names. */
export const memoryKind = enumOfWords('MemoryKind', KIND_NAMES)
