/** The type of an event in a word: `MemoryRevised` is `revised`. */
export const eventWord = (type: string): string => type.replace(/^Memory/u, '').toLowerCase()
